#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "counters/why.hpp"
#include "render/counters_text.hpp"

namespace msda {
namespace {

using testing::HasSubstr;

constexpr const char* kLsuBusy =
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kIssueBusy = "smsp__issue_active.avg.pct_of_peak_sustained_elapsed";

KernelCounters kernel(const std::string& arm, double seconds, double lsu, double issue) {
  KernelCounters counters;
  counters.problem = "p";
  counters.arm = arm;
  counters.mode = "warm";
  counters.part = "kernel";
  counters.values = {
      {"gpu__time_duration.sum", seconds},
      {kLsuBusy, lsu},
      {kIssueBusy, issue},
      {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 9}};
  return counters;
}

TEST(Why, TheResourceThatWasNearItsLimitAndGaveWayComesFirst) {
  const auto why = explain(kernel("base", 500e-6, 90, 50), kernel("fast", 300e-6, 80, 40));
  ASSERT_TRUE(why);
  EXPECT_STREQ(why->changes.front().resource->name, "LSU data pipe");
  EXPECT_NEAR(why->changes.front().saved(), 450e-6 - 240e-6, 1e-9);
  EXPECT_THAT(in_words(*why), HasSubstr("the LSU data pipe, busy 90% of the time before"));
  EXPECT_THAT(in_words(*why), HasSubstr("105% of the difference"));
}

TEST(Why, NothingNearItsLimitMeansLatency) {
  KernelCounters after = kernel("fast", 300e-6, 30, 40);
  after.values["smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"] = 4;
  const auto why = explain(kernel("base", 500e-6, 20, 25), after);
  ASSERT_TRUE(why);
  EXPECT_THAT(in_words(*why), HasSubstr("the difference is latency"));
  EXPECT_THAT(in_words(*why), HasSubstr("long_scoreboard went from 9.00 to 4.00"));
}

TEST(Why, AResourceThatGotBusierDoesNotExplainASpeedup) {
  const auto why = explain(kernel("base", 500e-6, 60, 20), kernel("fast", 400e-6, 90, 20));
  ASSERT_TRUE(why);
  EXPECT_THAT(in_words(*why), HasSubstr("does not explain the difference"));
}

TEST(Why, ASlowerArmIsExplainedByWhatGrew) {
  const auto why = explain(kernel("base", 300e-6, 80, 40), kernel("slow", 500e-6, 90, 40));
  ASSERT_TRUE(why);
  EXPECT_THAT(in_words(*why), HasSubstr("210 us more"));
}

TEST(Why, NeedsBothTimes) {
  EXPECT_FALSE(explain(KernelCounters{}, kernel("fast", 300e-6, 80, 40)));
}

TEST(CountersText, HasARowForEachArmAndTheReasonBelow) {
  const std::string text =
      counters_text({kernel("base", 500e-6, 90, 50), kernel("fast", 300e-6, 80, 40)}, "base");
  EXPECT_THAT(text, HasSubstr("p, warm"));
  EXPECT_THAT(text, HasSubstr("LSU data pipe 80% busy"));
  EXPECT_THAT(text, HasSubstr("fast takes 300 us where base takes 500"));
}

TEST(CountersText, SaysWhatTheToolDoesNotKnowHere) {
  KernelCounters counters = kernel("base", 500e-6, 90, 50);
  counters.missing = {"dram__bytes.sum"};
  EXPECT_THAT(counters_text({counters}, "base"), HasSubstr("missing"));
}

}  // namespace
}  // namespace msda
