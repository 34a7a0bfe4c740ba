// When a worker was in which phase.
#include "runner/supervise/range_log.hpp"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace msda {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(RangeLog, NeighboursOfOnePhaseAreOneRange) {
  RangeLog log("cuda:0");
  log.begin_group("captured", TimingMode::kWarm);
  log.enter("verify");
  log.enter("verify");
  log.enter("measure");
  log.enter("measure", {{"samples", 0.25}});
  log.enter("between", {{"samples", 0.5}, {"check", 0.125}});
  log.end_group();
  log.enter("");
  const std::vector<RunRange> ranges = log.take();
  ASSERT_THAT(ranges, SizeIs(3));
  EXPECT_EQ(ranges[0].phase, "verify");
  EXPECT_EQ(ranges[1].phase, "measure");
  EXPECT_EQ(ranges[1].device, "cuda:0");
  EXPECT_EQ(ranges[1].problem, "captured");
  EXPECT_EQ(ranges[1].mode, "warm");
  EXPECT_EQ(ranges[1].steps.at("samples"), 0.75);
  EXPECT_EQ(ranges[1].steps.at("check"), 0.125);
  EXPECT_EQ(ranges[2].phase, "between");
  for (std::size_t i = 0; i + 1 < ranges.size(); ++i) {
    EXPECT_LE(ranges[i].begin, ranges[i].end);
    EXPECT_EQ(ranges[i].end, ranges[i + 1].begin);
  }
  EXPECT_THAT(log.take(), IsEmpty());
}

TEST(RangeLog, OfColdSamplesTheRestIsTheFlushes) {
  for (const TimingMode mode : {TimingMode::kCold, TimingMode::kWarm}) {
    RangeLog log("cuda:0");
    log.begin_group("captured", mode);
    log.enter("measure");
    log.add_samples({0.125, 0.125});
    log.enter("", {{"samples", 1.0}});
    const std::vector<RunRange> ranges = log.take();
    ASSERT_THAT(ranges, SizeIs(1));
    const bool cold = mode == TimingMode::kCold;
    EXPECT_EQ(ranges[0].steps.at("samples"), cold ? 0.25 : 1.0);
    EXPECT_EQ(ranges[0].steps.count("flush"), cold ? 1U : 0U);
    if (cold) {
      EXPECT_EQ(ranges[0].steps.at("flush"), 0.75);
    }
  }
}

TEST(RangeLog, TakingPartsThePhaseThatGoesOn) {
  RangeLog log("cpu");
  log.enter("start");
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const std::vector<RunRange> first = log.take();
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_GE(first[0].end - first[0].begin, 1e-3);
  const std::vector<RunRange> second = log.take();
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0].begin, first[0].end);
}

TEST(RangeLog, FlushesHaveNoMoreThanSamplesLeaveAndSamplesAreThoseOfTheirPhase) {
  RangeLog log("cuda:0");
  log.begin_group("captured", TimingMode::kCold);
  log.enter("measure");
  log.add_samples({0.5});
  log.enter("verify again", {{"samples", 0.25}});  // clocks that differ a little
  log.enter("measure");
  log.add_samples({0.125});
  log.enter("", {{"samples", 1.0}});
  const std::vector<RunRange> ranges = log.take();
  ASSERT_THAT(ranges, SizeIs(3));
  EXPECT_EQ(ranges[0].steps.at("samples"), 0.25);
  EXPECT_EQ(ranges[0].steps.at("flush"), 0);
  EXPECT_EQ(ranges[2].steps.at("samples"), 0.125);
  EXPECT_EQ(ranges[2].steps.at("flush"), 0.875);
}

TEST(RangeLog, ARangeThatLastsLongEnoughStandsAlone) {
  RangeLog log("cpu");
  log.enter("verify");
  log.enter("verify");
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  log.enter("verify");
  log.enter("");
  EXPECT_THAT(log.take(), SizeIs(3));
}

}  // namespace
}  // namespace msda
