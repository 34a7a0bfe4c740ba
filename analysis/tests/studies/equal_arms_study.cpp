// How often one of several equal arms is told apart from the others.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "statistics/leader.hpp"
#include "studies/study.hpp"
#include "support/synthetic.hpp"

namespace msda::study {
namespace {

Table table_of(const std::vector<std::vector<SampleBlock>>& arms) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    records.push_back(synthetic::record(fmt::format("arm-{}", i), arms[i]));
    records.back().baseline = i == 0;
  }
  return make_tables(std::move(records), {}).front();
}

TEST(IntervalStudy, EqualArms) {
  World world = as_loud_as({}, 0.05);
  world.blocks = 3;
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t count : {2U, 3U, 5U, 10U, 20U}) {
    Simulation simulation(count);
    int ratios = 0;
    int runs = 0;
    int with_leader = 0;
    for (int e = 0; e < kExperiments; ++e) {
      const Table table = table_of(simulation.run(world, 5, std::vector<double>(count, 0.0)));
      const auto differing =
          static_cast<int>(std::count_if(table.rows.begin(), table.rows.end(), [](const Row& row) {
            return row.verdict == "faster" || row.verdict == "slower";
          }));
      ratios += differing;
      runs += differing > 0 ? 1 : 0;
      with_leader += find_leader(table).value().standing != Standing::kNone ? 1 : 0;
    }
    const double single = average(ratios, count - 1);
    const double led = average(with_leader);
    rows.push_back({std::to_string(count), percent(single), percent(average(runs)), percent(led)});
    EXPECT_LE(single, 0.06) << count;
    EXPECT_LE(led, 0.06) << count;
  }
  print_table("Equal arms in 5 processes",
              {"arms", "ratios called faster or slower", "runs with such a ratio",
               "runs whose headline gives an arm the first place"},
              rows);
}

}  // namespace
}  // namespace msda::study
