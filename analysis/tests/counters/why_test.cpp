#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "counters/why.hpp"
#include "support/counted.hpp"

namespace msda {
namespace {

using counted::kIssueBusy;
using counted::kLongScoreboard;
using counted::kLsuBusy;
using counted::kWait;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

LaunchLoads loads(const KernelCounters& kernel) { return *loads_of({kernel, {}}); }

Why why(const KernelCounters& before, const KernelCounters& after) {
  return explain(after.arm, loads(after), before.arm, loads(before));
}

double seconds_of(const LaunchLoads& loads, const std::string& name) {
  const Load* load = loads.find(name);
  return load == nullptr ? -1 : load->seconds;
}

TEST(Loads, PartsAddUpToTheTime) {
  KernelCounters kernel = counted::kernel("a", 500e-6, 90, 50);
  kernel.values["sm__cycles_active.avg"] = 900;
  kernel.values["sm__cycles_active.max"] = 1000;
  KernelCounters prepass = counted::kernel("a", 20e-6, 10, 10);
  prepass.part = "order";
  const LaunchLoads split = *loads_of({kernel, {prepass}});
  EXPECT_DOUBLE_EQ(split.seconds, 520e-6);
  double sum = 0;
  for (const Load& load : split.loads) {
    if (load.kind != Load::Kind::kResource) sum += load.seconds;
  }
  EXPECT_NEAR(sum, 520e-6, 1e-12);
  EXPECT_NEAR(seconds_of(split, "issue slots"), 250e-6, 1e-12);
  EXPECT_NEAR(seconds_of(split, "idle SMs"), 50e-6, 1e-12);
  EXPECT_NEAR(seconds_of(split, "pre-passes"), 20e-6, 1e-12);
  EXPECT_NEAR(seconds_of(split, "LSU data pipe"), 450e-6, 1e-12);
}

TEST(Loads, WaitsAreSplitByTheReasonsOfStalls) {
  KernelCounters kernel = counted::kernel("a", 400e-6, 20, 25);
  kernel.values[kLongScoreboard] = 6;
  kernel.values[kWait] = 2;
  const LaunchLoads split = loads(kernel);
  EXPECT_NEAR(seconds_of(split, "waiting for global memory"), 225e-6, 1e-12);
  EXPECT_NEAR(seconds_of(split, "waiting for the instruction before"), 75e-6, 1e-12);
}

TEST(Loads, WhatIsNotCountedIsNotThere) {
  KernelCounters kernel;
  EXPECT_FALSE(loads_of({kernel, {}}));
  kernel.values["gpu__time_duration.sum"] = 1e-6;
  EXPECT_THAT(loads(kernel).loads, IsEmpty());
  EXPECT_EQ(bound_in_words(loads(kernel)), "not counted");
}

TEST(Loads, TheMeanIsOverTimes) {
  const LaunchLoads both = mean(
      {loads(counted::kernel("a", 100e-6, 50, 40)), loads(counted::kernel("b", 300e-6, 50, 40))});
  EXPECT_NEAR(both.seconds, 200e-6, 1e-12);
  EXPECT_NEAR(seconds_of(both, "LSU data pipe"), 100e-6, 1e-12);
}

TEST(Loads, BoundIsWhatWasBusyElseWhatWasWaitedFor) {
  EXPECT_EQ(bound_in_words(loads(counted::kernel("a", 1e-3, 82, 40))), "LSU data pipe, 82% busy");
  EXPECT_EQ(bound_in_words(loads(counted::kernel("a", 1e-3, 30, 45))),
            "waiting for global memory (issue slots, 45% busy)");
}

TEST(Why, TheResourceThatBoundTheSlowerOneComesFirst) {
  const Why found =
      why(counted::kernel("base", 500e-6, 90, 50), counted::kernel("fast", 300e-6, 80, 40));
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes.front().name, "LSU data pipe");
  EXPECT_NEAR(found.causes.front().explains, (450 - 240) / 200.0, 1e-9);
  EXPECT_THAT(in_words(found), HasSubstr("fast takes 300 us where base takes 500"));
  EXPECT_THAT(in_words(found), HasSubstr("Of the difference: LSU data pipe 105%"));
  EXPECT_THAT(in_words(found), HasSubstr("Now bound by: LSU data pipe, 80% busy"));
}

TEST(Why, WhereNothingWasBusyItIsTheWaitThatFell) {
  const Why found =
      why(counted::kernel("base", 500e-6, 20, 25), counted::kernel("fast", 300e-6, 30, 40));
  EXPECT_EQ(found.causes.front().name, "waiting for global memory");
  EXPECT_NEAR(found.causes.front().explains, (375 - 180) / 200.0, 1e-9);
}

TEST(Why, WhatGotBusierExplainsNoGain) {
  const Why found =
      why(counted::kernel("base", 500e-6, 60, 20), counted::kernel("fast", 400e-6, 90, 20));
  for (const Cause& cause : main_causes(found)) EXPECT_NE(cause.name, "LSU data pipe");
  EXPECT_EQ(found.causes.back().name, "LSU data pipe");
}

TEST(Why, ASlowerArmIsExplainedByWhatGrew) {
  const Why found =
      why(counted::kernel("base", 300e-6, 80, 40), counted::kernel("slow", 500e-6, 90, 40));
  EXPECT_EQ(found.causes.front().name, "LSU data pipe");
  EXPECT_GT(found.causes.front().explains, 1);
}

TEST(Why, ALongPrepassIsAReasonOfItsOwn) {
  KernelCounters prepass = counted::kernel("ordered", 300e-6, 1, 1);
  prepass.part = "order";
  const LaunchLoads before = loads(counted::kernel("base", 300e-6, 50, 40));
  const LaunchLoads after = *loads_of({counted::kernel("ordered", 290e-6, 50, 40), {prepass}});
  const Why found = explain("ordered", after, "base", before);
  EXPECT_EQ(found.causes.front().name, "pre-passes");
}

TEST(Why, ExplainsNoDifferenceThatOneLaunchDoesNotShow) {
  const Why found =
      why(counted::kernel("base", 300e-6, 80, 40), counted::kernel("same", 298e-6, 70, 40));
  EXPECT_THAT(main_causes(found), IsEmpty());
  EXPECT_THAT(in_words(found), HasSubstr("no difference to explain"));
}

TEST(Why, AMissingCounterIsNoCause) {
  KernelCounters after = counted::kernel("fast", 300e-6, 80, 40);
  after.values.erase(kLsuBusy);
  const Why found = why(counted::kernel("base", 500e-6, 90, 50), after);
  for (const Cause& cause : found.causes) EXPECT_NE(cause.name, "LSU data pipe");
  after.values.erase(kIssueBusy);
  EXPECT_THAT(in_words(why(counted::kernel("base", 500e-6, 90, 50), after)),
              Not(HasSubstr("issue slots")));
}

TEST(Why, LargeQuantitiesHaveNoExponent) {
  EXPECT_EQ(plain_number(0.1234), "0.123");
  EXPECT_EQ(plain_number(17.46), "17.5");
  EXPECT_EQ(plain_number(999.6), "1000");
  EXPECT_EQ(plain_number(3014.2), "3014");
  EXPECT_EQ(plain_number(-1234.4), "-1234");
}

TEST(Loads, TheMeanOfWhatWasDoneIsOverLaunchesToo) {
  KernelCounters few = counted::kernel("a", 100e-6, 50, 40);
  few.values["l1tex__data_pipe_lsu_wavefronts.sum"] = 1e6;
  KernelCounters many = counted::kernel("b", 100e-6, 50, 40);
  many.values["l1tex__data_pipe_lsu_wavefronts.sum"] = 3e6;
  EXPECT_NEAR(mean({loads(few), loads(many)}).find("LSU data pipe")->work.value(), 2e6, 1e-3);
}

TEST(Launches, HaveThePrepassesOfTheirOwnMode) {
  const KernelCounters warm = counted::kernel("a", 100e-6, 50, 40);
  KernelCounters cold = warm;
  cold.mode = "cold";
  KernelCounters prepass = cold;
  prepass.part = "order";
  const auto launches = launches_of({warm, cold, prepass});
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_THAT(launches[0].prepasses, IsEmpty());
  EXPECT_EQ(launches[1].prepasses.size(), 1U);
}

}  // namespace
}  // namespace msda
