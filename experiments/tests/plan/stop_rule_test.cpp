#include "runner/plan/stop_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/protocol/phase.hpp"
#include "statistics/statistics.hpp"

namespace msda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Plan plan(int processes, int most) {
  Plan plan;
  plan.arms = {{"base", {}, ""}, {"fast", {}, ""}};
  plan.baseline = "base";
  plan.measure.processes = processes;
  plan.measure.most_processes = most;
  return plan;
}

/// The record of an arm that took so long in each process; each had a second of blocks.
Record record(const std::string& arm, const std::vector<double>& seconds) {
  Record record;
  record.arm = arm;
  record.status = CellStatus::kOk;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const auto process = static_cast<int>(i);
    record.processes.push_back({process, {}, 1.0, {}, {}});
    record.samples.push_back({process, 0, {seconds[i]}});
  }
  return record;
}

TEST(StopRule, ThePlannedProcessesAlwaysRun) {
  const GroupState none = group_state(plan(3, 6), {});
  EXPECT_EQ(none.processes, 0);
  EXPECT_EQ(none.stopped_by, "");
  const GroupState two =
      group_state(plan(3, 6), {record("base", {1, 1}), record("fast", {0.5, 0.5})});
  EXPECT_EQ(two.processes, 2);
  EXPECT_EQ(two.stopped_by, "");
}

TEST(StopRule, EndsWhenEveryRatioIsKnown) {
  const GroupState state =
      group_state(plan(3, 6), {record("base", {1, 1, 1}), record("fast", {0.5, 0.5001, 0.5002})});
  EXPECT_EQ(state.stopped_by, "precision");
  EXPECT_LT(state.precision.value(), 0.001);
  EXPECT_EQ(state.measured_seconds, 3);
}

TEST(StopRule, GoesOnWhileARatioIsNotKnown) {
  const std::vector<Record> records = {record("base", {1, 1, 1}), record("fast", {0.5, 0.6, 0.7})};
  EXPECT_EQ(group_state(plan(3, 6), records).stopped_by, "");
  EXPECT_EQ(group_state(plan(3, 3), records).stopped_by, "processes");
  Plan short_of_time = plan(3, 6);
  short_of_time.measure.budget = std::chrono::duration<double>(3.5);
  EXPECT_EQ(group_state(short_of_time, records).stopped_by, "budget");
}

TEST(StopRule, WithoutARatioThePlannedProcessesAreAll) {
  Plan lone = plan(2, 6);
  lone.arms.pop_back();
  EXPECT_EQ(group_state(lone, {record("base", {1, 2})}).stopped_by, "processes");
}

/// More of them would not help the one, and the others alone do not say that all is known.
TEST(StopRule, WhereOneRatioCannotBeKnownThePlannedProcessesAreAll) {
  Record without = record("other", {1, 1, 1});
  without.samples.clear();
  const GroupState state = group_state(
      plan(3, 6), {record("base", {1, 1, 1}), record("fast", {0.5, 0.5001, 0.5002}), without});
  EXPECT_FALSE(state.precision);
  EXPECT_EQ(state.stopped_by, "processes");
}

TEST(StopRule, ArmsThatFailedAreNotWaitedFor) {
  Record bad = record("fast", {});
  bad.status = CellStatus::kCrashed;
  bad.processes.push_back({0, {}, 0, {}, {}});
  const std::vector<Record> records = {record("base", {1}), bad};
  EXPECT_EQ(group_state(plan(2, 4), records).processes, 1);
  EXPECT_THAT(waiting_arms(plan(2, 4), records, 1), ElementsAre("base"));
  Record base = bad;
  base.arm = "base";
  EXPECT_EQ(group_state(plan(2, 4), {base, bad}).stopped_by, "no arm");
}

TEST(StopRule, AnArmThatIsBehindCatchesUpFirst) {
  const std::vector<Record> records = {record("base", {1, 1}), record("fast", {1})};
  const GroupState state = group_state(plan(3, 3), records);
  EXPECT_EQ(state.processes, 1);
  EXPECT_THAT(waiting_arms(plan(3, 3), records, state.processes), ElementsAre("fast"));
  EXPECT_EQ(next_process(records), 2);
  EXPECT_EQ(next_process({}), 0);
}

TEST(Phases, HaveTheTimeLimitOfTheirKind) {
  const Timeouts timeouts{Timeouts::Seconds(1), Timeouts::Seconds(2), Timeouts::Seconds(3),
                          Timeouts::Seconds(4)};
  EXPECT_EQ(time_limit(timeouts, phase::kCompile).count(), 1);
  for (const char* name : {phase::kCheck, phase::kPrepare, phase::kInputs, phase::kTeardown, ""}) {
    EXPECT_EQ(time_limit(timeouts, name).count(), 2) << name;
  }
  EXPECT_EQ(time_limit(timeouts, phase::kVerify).count(), 3);
  EXPECT_EQ(time_limit(timeouts, phase::kVerifyAgain).count(), 3);
  EXPECT_EQ(time_limit(timeouts, phase::kMeasure).count(), 4);
  EXPECT_EQ(time_limit(timeouts, phase::kMeasureParts).count(), 4);
}

TEST(Phases, AreAddedUpByName) {
  PhaseTimes times;
  EXPECT_THAT(times.seconds(), IsEmpty());
  times.enter("a");
  times.enter("b");
  times.enter("a");
  times.enter("");
  EXPECT_EQ(times.seconds().size(), 2U);
  EXPECT_GE(times.seconds().at("a"), 0);
}

// As a report has it: processes that were added lend no degrees of freedom.
TEST(StopRule, AsksForTheIntervalsThatAReportMakesOfAddedProcesses) {
  const Record base = record("base", {1, 1, 1, 1});
  const Record fast = record("fast", {0.5, 0.6, 0.7, 0.6});
  const auto ratio = estimate_ratio(base.samples, fast.samples, {3});
  EXPECT_NEAR(group_state(plan(3, 6), {base, fast}).precision.value(),
              ratio.value().interval_95.value().high / ratio->ratio - 1, 1e-12);
}

TEST(Phases, OfEvidenceEnergyAndProfilesHaveTheLimitsOfCompilingAndMeasuring) {
  const Timeouts timeouts{Timeouts::Seconds(1), Timeouts::Seconds(2), Timeouts::Seconds(3),
                          Timeouts::Seconds(4)};
  EXPECT_EQ(time_limit(timeouts, phase::kEvidence), timeouts.compile);
  EXPECT_EQ(time_limit(timeouts, phase::kEnergy), timeouts.measure);
  EXPECT_EQ(time_limit(timeouts, phase::kProfile), timeouts.measure);
  EXPECT_TRUE(is_busy(phase::kEnergy));
  EXPECT_FALSE(is_busy(phase::kEvidence));
}

}  // namespace
}  // namespace msda
