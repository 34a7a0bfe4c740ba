// What more processes buy.
#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "statistics/statistics.hpp"
#include "studies/study.hpp"

namespace msda::study {
namespace {

struct Pairs {
  double outside = 0;    ///< share of A/A pairs whose interval excludes 1
  double different = 0;  ///< share of those that are called faster or slower
  double smallest = 0;   ///< detectable effect, for the typical standard error of a pair
};

Pairs pairs_of(const World& world, int processes) {
  Simulation simulation(static_cast<std::uint64_t>(processes) + 100);
  Pairs pairs;
  int outside = 0;
  int different = 0;
  double variance = 0;
  for (int e = 0; e < kExperiments; ++e) {
    const auto arms = simulation.run(world, processes, {0, 0});
    const RatioEstimate pair = estimate_ratio(arms[0], arms[1]).value();
    outside += pair.interval_95.value().contains(1) ? 0 : 1;
    const Difference verdict = classify(pair);
    const bool differs = verdict == Difference::kFaster || verdict == Difference::kSlower;
    different += differs ? 1 : 0;
    const double error = estimate_log_ratio(arms[0], arms[1]).value().standard_error;
    variance += error * error / kExperiments;
  }
  pairs.outside = average(outside);
  pairs.different = average(different);
  pairs.smallest = smallest_detectable({0, std::sqrt(variance), processes - 1.0,
                                        Replication::kProcesses, processes})
                       .value();
  return pairs;
}

TEST(IntervalStudy, NumberOfProcesses) {
  const World world = simulated::harsh_world();
  std::vector<std::vector<std::string>> rows;
  for (const int processes : {2, 3, 4, 5, 6, 8, 10, 15}) {
    const Coverage found = coverage_of_chosen(world, processes);
    const Pairs pairs = pairs_of(world, processes);
    rows.push_back({std::to_string(processes), fmt::format("{:.2f}%", found.half_width * 100),
                    fmt::format("{:.2f}%", pairs.smallest * 100), percent(pairs.outside),
                    percent(pairs.different)});
    EXPECT_LE(pairs.outside, 0.07) << processes;
    EXPECT_LE(pairs.different, 0.05) << processes;
  }
  print_table("All disturbances at once, by the number of processes",
              {"processes", "half width of the interval", "smallest detectable effect",
               "A/A pairs whose interval excludes 1", "A/A pairs called different"},
              rows);
}

}  // namespace
}  // namespace msda::study
