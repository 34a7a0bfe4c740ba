#include "statistics/noise_floor.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/formats.hpp"
#include "render/tables/tables.hpp"
#include "render/words/words.hpp"
#include "support/simulated.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using simulated::Simulation;
using simulated::World;
using testing::HasSubstr;
using testing::Not;

/// The baseline, the same again, and an arm that is 10% faster, in five processes.
Report report_with_pair(double log_time_of_pair = 0, double process_deviation = 0.003) {
  World world;
  world.process_deviation = process_deviation;
  auto arms = Simulation(4).run(world, 5, {0, log_time_of_pair, -0.1});
  Record again = synthetic::record("base again", std::move(arms[1]));
  again.composition = "base";
  return make_report(nlohmann::json::object(),
                     {synthetic::baseline("base", std::move(arms[0])), again,
                      synthetic::record("fast", std::move(arms[2]))});
}

TEST(NoiseFloor, IsTheBaselineAgainstItself) {
  const Report report = report_with_pair();
  const auto floor = noise_floor(report.tables.at(0));
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->arm, "base again");
  EXPECT_EQ(floor->ratio.replicates, 5);
  EXPECT_TRUE(floor->ratio.interval_95.value().contains(1));
  EXPECT_GT(floor->smallest_effect, 0.001);
  EXPECT_LT(floor->smallest_effect, 0.03);
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["tables"][0]["noise_floor"]["arm"],
            "base again");
}

TEST(NoiseFloor, IsAPartOfTheTimeAndNoLogarithm) {
  const Report report = report_with_pair(0, 0.2);
  const Table& table = report.tables.at(0);
  const auto log_ratio =
      estimate_log_ratio(table.rows.at(0).record.samples,
                         find_row(table, "base again")->record.samples, table.planned);
  const double smallest = smallest_detectable(log_ratio.value()).value();
  EXPECT_NEAR(noise_floor(table)->smallest_effect, std::exp(smallest) - 1, 1e-12);
  EXPECT_GT(smallest, 0.1);
}

TEST(NoiseFloor, IsSaidBelowTheTable) {
  const std::string text = to_terminal(report_with_pair(), false);
  EXPECT_THAT(text, HasSubstr("A/A pair: base again is an identical copy of the baseline, "));
  EXPECT_THAT(text, HasSubstr("% is the smallest effect that such an interval finds"));
  EXPECT_THAT(text, HasSubstr("(A/A)"));
  EXPECT_THAT(text, Not(HasSubstr("differs from itself")));
}

TEST(NoiseFloor, WarnsWhenTheBaselineDiffersFromItself) {
  EXPECT_THAT(to_terminal(report_with_pair(0.1), false), HasSubstr("differs from itself"));
}

TEST(NoiseFloor, ThePairTakesNoPlaceAmongTheArms) {
  const Report report = report_with_pair(-0.5);
  EXPECT_THAT(headline(report.tables.at(0)), HasSubstr("fast is the fastest"));
}

TEST(NoiseFloor, WithoutAPairIsThatOfTheMedianInterval) {
  const auto base = synthetic::steady(1e-3, 3);
  const Report report = make_report(
      nlohmann::json::object(),
      {synthetic::baseline("base", base), synthetic::record("a", synthetic::scaled(base, 2, 0.1)),
       synthetic::record("b", synthetic::scaled(base, 2, 0.01)),
       synthetic::record("c", synthetic::scaled(base, 2, 0.001))});
  const auto floor = noise_floor(report.tables.at(0));
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->arm, "");
  const auto& width = floor->ratio.interval_95;
  EXPECT_EQ(width->high, report.tables[0].rows[2].speedup_95->high);
  EXPECT_THAT(noise_sentence(*floor), HasSubstr("No A/A pair ran"));
}

TEST(NoiseFloor, IsAbsentWithoutIntervals) {
  const auto block = synthetic::steady(1e-3, 1, 1);
  const Report report = make_report(nlohmann::json::object(), {synthetic::baseline("base", block),
                                                               synthetic::record("a", block)});
  EXPECT_FALSE(noise_floor(report.tables.at(0)));
  EXPECT_THAT(to_terminal(report, false), Not(HasSubstr("A/A")));
}

TEST(NoiseFloor, OfAnEvenNumberOfIntervalsTakesTheNarrowerOfTheTwoInTheMiddle) {
  const auto base = synthetic::steady(1e-3, 3);
  std::vector<Record> records{synthetic::baseline("base", base)};
  for (const auto& [arm, drift] :
       {std::pair("a", 0.1), std::pair("b", 0.03), std::pair("c", 0.01), std::pair("d", 0.001)}) {
    records.push_back(synthetic::record(arm, synthetic::scaled(base, 2, drift)));
  }
  const Report report = make_report(nlohmann::json::object(), records);
  const Table& table = report.tables.at(0);
  const auto floor = noise_floor(table);
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->ratio.interval_95.value().high, find_row(table, "c")->speedup_95.value().high);
}

TEST(NoiseFloor, ABaselineThatDiffersFromItselfInEitherDirectionIsAWarning) {
  const auto is_said = testing::Contains(HasSubstr("the baseline differs from itself ("));
  EXPECT_THAT(warnings_of(report_with_pair(0.1)), is_said);
  EXPECT_THAT(warnings_of(report_with_pair(-0.1)), is_said);
  EXPECT_THAT(warnings_of(report_with_pair()), Not(is_said));
}

}  // namespace
}  // namespace msda
