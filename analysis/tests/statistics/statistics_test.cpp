#include "statistics/statistics.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <msda/error.hpp>

#include "support/synthetic.hpp"

namespace msda {
namespace {

TEST(Median, OddAndEvenCounts) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median({7}), 7);
}

TEST(Median, EmptyIsAnError) { EXPECT_THROW(median({}), Error); }

TEST(MedianSeconds, PoolsAllBlocks) {
  EXPECT_DOUBLE_EQ(*median_seconds({{0, 0, {5, 1}}, {0, 1, {}}, {1, 0, {3}}}), 3);
  EXPECT_FALSE(median_seconds({{0, 0, {}}}));
  EXPECT_FALSE(median_seconds({}));
}

// Log ratios 0, ln 2, ln 4 have mean ln 2 and standard deviation ln 2; t(0.975, 2) = 4.302653.
TEST(EstimateRatio, BlocksOfOneProcessByHand) {
  const std::vector<SampleBlock> slow{{0, 0, {1}}, {0, 1, {2}}, {0, 2, {4}}};
  const std::vector<SampleBlock> fast{{0, 0, {1}}, {0, 1, {1}}, {0, 2, {1}}};
  const auto estimate = estimate_ratio(slow, fast);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->ratio, 2, 1e-12);
  EXPECT_EQ(estimate->replication, Replication::kBlocks);
  EXPECT_EQ(estimate->replicates, 3);
  const double half = 4.302652729 * std::log(2) / std::sqrt(3.0);
  ASSERT_TRUE(estimate->interval_95);
  EXPECT_NEAR(std::log(estimate->interval_95->low), std::log(2) - half, 1e-8);
  EXPECT_NEAR(std::log(estimate->interval_95->high), std::log(2) + half, 1e-8);
}

// Two processes with mean log ratios 0 and ln 4, whatever their blocks: mean ln 2, standard error
// ln 2; t(0.975, 1) = 12.7062.
TEST(EstimateRatio, ProcessesAreTheUnitWhereThereAreSeveral) {
  const std::vector<SampleBlock> slow{{0, 0, {2}}, {0, 1, {0.5}}, {1, 0, {4}}, {1, 1, {4}}};
  const std::vector<SampleBlock> fast{{0, 0, {1}}, {0, 1, {1}}, {1, 0, {1}}, {1, 1, {1}}};
  const auto estimate = estimate_ratio(slow, fast);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->replication, Replication::kProcesses);
  EXPECT_EQ(estimate->replicates, 2);
  EXPECT_NEAR(estimate->ratio, 2, 1e-12);
  EXPECT_NEAR(std::log(estimate->interval_95->high), (1 + 12.7062047) * std::log(2), 1e-6);
}

// Mean log ratios 0, ln 4 and ln 2, of which two were planned: these have the standard deviation
// sqrt(2) ln 2, over the root of all three, and one degree of freedom.
TEST(EstimateRatio, ProcessesThatWereAddedLendNoDegreesOfFreedom) {
  const std::vector<SampleBlock> slow{{0, 0, {1}}, {1, 0, {4}}, {2, 0, {2}}};
  const std::vector<SampleBlock> fast{{0, 0, {1}}, {1, 0, {1}}, {2, 0, {1}}};
  const auto estimate = estimate_ratio(slow, fast, {2});
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->ratio, 2, 1e-12);
  const double half = 12.7062047 * std::sqrt(2.0 / 3) * std::log(2);
  EXPECT_NEAR(std::log(estimate->interval_95->high), std::log(2) + half, 1e-6);
}

TEST(EstimateRatio, OneBlockHasNoInterval) {
  const auto estimate = estimate_ratio({{0, 0, {3}}}, {{0, 0, {2}}});
  ASSERT_TRUE(estimate);
  EXPECT_DOUBLE_EQ(estimate->ratio, 1.5);
  EXPECT_FALSE(estimate->interval_95);
  EXPECT_EQ(estimate->replication, Replication::kNone);
  EXPECT_EQ(classify(*estimate), Difference::kUndecided);
}

TEST(EstimateTime, IsTheRatioToOneSecond) {
  const std::vector<SampleBlock> blocks{{0, 0, {1e-3, 9, 1e-3}}, {0, 1, {2e-3}}, {0, 2, {4e-3}}};
  const std::vector<SampleBlock> second{{0, 0, {1}}, {0, 1, {1}}, {0, 2, {1}}};
  const auto estimate = estimate_time(blocks);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->seconds, 2e-3, 1e-15);
  EXPECT_EQ(estimate->replication, Replication::kBlocks);
  EXPECT_EQ(estimate->replicates, 3);
  const auto ratio = estimate_ratio(blocks, second);
  EXPECT_EQ(estimate->interval_95.value().low, ratio.value().interval_95.value().low);
  EXPECT_EQ(estimate->interval_95.value().high, ratio.value().interval_95.value().high);
  EXPECT_EQ(estimate_time({{0, 0, {1}}, {1, 0, {4}}}).value().replication, Replication::kProcesses);
  EXPECT_FALSE(estimate_time({{0, 0, {1}}}).value().interval_95);
  EXPECT_FALSE(estimate_time({}));
}

TEST(EstimateRatio, OnlyBlocksOfBothCount) {
  const auto estimate = estimate_ratio({{0, 0, {3}}, {0, 1, {900}}}, {{0, 0, {2}}, {1, 1, {5}}});
  ASSERT_TRUE(estimate);
  EXPECT_DOUBLE_EQ(estimate->ratio, 1.5);
  EXPECT_FALSE(estimate_ratio({{0, 0, {1}}}, {{1, 0, {1}}}));
  EXPECT_FALSE(estimate_ratio({}, {}));
}

TEST(EstimateRatio, TimesBelowTheClocksResolutionAreLeftOut) {
  const auto estimate = estimate_ratio({{0, 0, {0, 0}}, {0, 1, {4}}}, {{0, 0, {1}}, {0, 1, {2}}});
  ASSERT_TRUE(estimate);
  EXPECT_DOUBLE_EQ(estimate->ratio, 2);
}

TEST(EstimateRatio, TwoPartsOfABlockAreOneBlock) {
  const auto estimate = estimate_ratio({{0, 0, {1, 2}}, {0, 0, {3, 4, 5}}}, {{0, 0, {1}}});
  ASSERT_TRUE(estimate);
  EXPECT_DOUBLE_EQ(estimate->ratio, 3);
  EXPECT_EQ(estimate->replicates, 1);
}

TEST(EstimateRatio, DriftOfTheMachineCancels) {
  std::vector<SampleBlock> slow;
  std::vector<SampleBlock> fast;
  for (int b = 0; b < 10; ++b) {
    const double drift = 1 + 0.5 * b;
    slow.push_back({0, b, {3 * drift}});
    fast.push_back({0, b, {2 * drift}});
  }
  const auto estimate = estimate_ratio(slow, fast);
  ASSERT_TRUE(estimate && estimate->interval_95);
  EXPECT_NEAR(estimate->interval_95->low, 1.5, 1e-9);
  EXPECT_NEAR(estimate->interval_95->high, 1.5, 1e-9);
}

Difference classify_interval(double low, double high) {
  return classify({std::sqrt(low * high), Interval{low, high}, Replication::kBlocks, 5});
}

TEST(Classify, ByTheInterval) {
  EXPECT_EQ(classify_interval(1.02, 1.10), Difference::kFaster);
  EXPECT_EQ(classify_interval(0.90, 0.98), Difference::kSlower);
  EXPECT_EQ(classify_interval(0.95, 1.05), Difference::kUndecided);
  EXPECT_EQ(classify_interval(0.995, 1.005), Difference::kEqual);
  // Surely different, but by less than what matters.
  EXPECT_EQ(classify_interval(1.002, 1.006), Difference::kEqual);
  EXPECT_EQ(classify_interval(1.002, 1.012), Difference::kFaster);
}

TEST(Rows, ATimeLiesInTheIntervalThatIsMadeOfTheSameBlocks) {
  // Two speeds of one GPU: the median of all samples is the one that more blocks have.
  std::vector<SampleBlock> blocks;
  for (int i = 0; i < 12; ++i)
    blocks.push_back({0, i, std::vector<double>(5, i % 3 ? 1e-3 : 2e-3), {}});
  const Report report = make_report(nlohmann::json::object(), {synthetic::baseline("a", blocks)});
  const double seconds = report.tables.at(0).rows.at(0).median_seconds;
  EXPECT_NEAR(seconds, 1e-3 * std::pow(2, 1.0 / 3), 1e-9);
  EXPECT_TRUE(estimate_time(blocks)->interval_95->contains(seconds));
  EXPECT_FALSE(estimate_time(blocks)->interval_95->contains(*median_seconds(blocks)));
}

TEST(Rows, ACopyHasNoSpeedOfLightAndLeadsNoKernels) {
  Record copy = synthetic::record("copy", synthetic::steady(1e-6));
  copy.op = "copy";
  copy.traffic.flops = 0;
  const Report report = make_report(
      {{"ceilings", {{"dram_bytes_per_second", 4e12}, {"gather_bytes_per_second", 32e12}}}},
      {synthetic::baseline("base", synthetic::steady(2e-3)),
       synthetic::record("vec", synthetic::steady(1e-3)), copy});
  const Table& table = report.tables.at(0);
  EXPECT_TRUE(find_row(table, "vec")->speed_of_light);
  EXPECT_FALSE(find_row(table, "copy")->speed_of_light);
  EXPECT_EQ(table.rows.at(table.leader.value().best).record.arm, "vec");
}

/// It has the samples of the processes before the one in which it went wrong.
TEST(Rows, NothingIsComparedWithABaselineThatWentWrong) {
  Record base = synthetic::baseline("base", synthetic::steady(2e-3));
  base.status = CellStatus::kWrong;
  const Report report = make_report(nlohmann::json::object(),
                                    {base, synthetic::record("vec", synthetic::steady(1e-3))});
  const Row* const row = find_row(report.tables.at(0), "vec");
  EXPECT_GT(row->median_seconds, 0);
  EXPECT_FALSE(row->speedup);
  EXPECT_EQ(row->verdict, "undecided");
}

TEST(Rows, EqualCompositionsAreOneArm) {
  Record twice = synthetic::record("twice", synthetic::steady(1e-3));
  twice.composition = "vec";
  Record pair = synthetic::record("pair", synthetic::steady(2e-3));
  pair.composition = "base";
  const Report report = make_report(
      nlohmann::json::object(), {synthetic::baseline("base", synthetic::steady(2e-3)),
                                 synthetic::record("vec", synthetic::steady(1e-3)), twice, pair});
  EXPECT_EQ(find_row(report.tables.at(0), "twice")->same_code_as, "vec");
  EXPECT_EQ(find_row(report.tables.at(0), "pair")->same_code_as, "") << "an A/A pair";
}

TEST(SumOf, HasTheDegreesOfFreedomOfWelchAndSatterthwaite) {
  const auto estimate = [](double value, double error, double degrees) {
    LogEstimate one;
    one.value = value;
    one.standard_error = error;
    one.degrees_of_freedom = degrees;
    return one;
  };
  const LogEstimate sum = sum_of({{2, estimate(1, 0.1, 4)}, {-1, estimate(3, 0.3, 2)}});
  EXPECT_DOUBLE_EQ(sum.value, -1);
  EXPECT_DOUBLE_EQ(sum.standard_error, std::sqrt(0.04 + 0.09));
  EXPECT_NEAR(sum.degrees_of_freedom, 0.13 * 0.13 / (0.04 * 0.04 / 4 + 0.09 * 0.09 / 2), 1e-9);
}

TEST(SpeedOfLight, OfSeveralDevicesEachHasACacheOfItsOwn) {
  Record record = synthetic::record("two", {});
  record.devices = 2;
  record.mode = TimingMode::kWarm;
  record.traffic.gathered = 0;
  MemoryFacts memory{.ceilings = {.dram_bytes_per_second = 1e12, .gather_bytes_per_second = 1e12},
                     .l2_bytes = 1'500'000};
  EXPECT_DOUBLE_EQ(speed_of_light(record, memory)->seconds, 1e6 / 2e12);
  record.devices.reset();
  EXPECT_DOUBLE_EQ(speed_of_light(record, memory)->seconds, 2.5e6 / 1e12);
}

TEST(SpeedOfLight, GathersComeFromTheFasterOfCacheAndSharedMemory) {
  const Record record = synthetic::record("gathers", {});
  MemoryFacts memory{.ceilings = {.dram_bytes_per_second = 1e15, .gather_bytes_per_second = 8e12}};
  EXPECT_DOUBLE_EQ(speed_of_light(record, memory)->seconds, 64e6 / 8e12);
  memory.ceilings.shared_bytes_per_second = 32e12;
  EXPECT_DOUBLE_EQ(speed_of_light(record, memory)->seconds, 64e6 / 32e12);
}

TEST(SplitPrepasses, WithoutAPartOfThatNameTheLastIsTheKernel) {
  Record record = synthetic::record("parts", synthetic::steady(3e-3));
  record.parts = {{"first", synthetic::steady(1e-3), false},
                  {"last", synthetic::steady(2e-3), false}};
  const auto split = split_prepasses(record, nullptr, {});
  ASSERT_TRUE(split);
  EXPECT_DOUBLE_EQ(split->kernel_seconds, 2e-3);
  EXPECT_EQ(split->before.at(0).name, "first");
}

TEST(CountFaster, LeavesOutTheBaselineThatRanAgain) {
  Record again = synthetic::record("again", synthetic::scaled(synthetic::steady(1e-3), 1, 0.001));
  again.composition = "base";
  const Report report =
      make_report(nlohmann::json::object(),
                  {synthetic::baseline("base", synthetic::steady(2e-3)), again,
                   synthetic::record("vec", synthetic::scaled(synthetic::steady(1e-3), 1, 0.001))});
  ASSERT_EQ(find_row(report.tables.at(0), "again")->verdict, "faster");
  EXPECT_EQ(count_faster(report.tables.at(0)), 1U);
}

TEST(SumOf, HasAsManyReplicatesAsTheTermWithTheFewest) {
  const LogEstimate many{0.1, 0.01, 9, Replication::kProcesses, 10};
  const LogEstimate few{0.2, 0.01, 2, Replication::kBlocks, 3};
  for (const auto& sum : {sum_of({{1, many}, {-1, few}}), sum_of({{1, few}, {-1, many}})}) {
    EXPECT_EQ(sum.replicates, 3);
    EXPECT_EQ(sum.replication, Replication::kBlocks);
  }
}

// t(0.975, 4) = 2.776445: where the end of the 95% interval is the end of the range, p is 5%.
TEST(POutside, IsFivePercentWhereTheIntervalTouchesTheRange) {
  const LogEstimate estimate{0.003, 0.002, 4, Replication::kProcesses, 5};
  const double half = 2.776445 * 0.002;
  EXPECT_NEAR(p_outside(estimate, {-1, 0.003 + half}), 0.05, 1e-6);
  EXPECT_NEAR(p_outside(estimate, {0.003 - half, 1}), 0.05, 1e-6);
  EXPECT_EQ(p_outside(estimate, {1, 2}), 1);
}

TEST(EstimateRatio, TimesThatAreNoNumbersAreLeftOut) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto estimate =
      estimate_ratio({{0, 0, {infinity}}, {0, 1, {4}}}, {{0, 0, {1}}, {0, 1, {2}}});
  ASSERT_TRUE(estimate);
  EXPECT_DOUBLE_EQ(estimate->ratio, 2);
  EXPECT_EQ(estimate->replicates, 1);
}

}  // namespace
}  // namespace msda
