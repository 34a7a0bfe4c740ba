// Whatever a variant does, the run goes on and says what happened.
#include "runner/supervise/supervisor.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class SupervisorTest : public testing::Test {
 protected:
  SupervisorTest() : supervisor_({program(), "cpu", {fixture_directory()}, false}) {
    request_.experiment = "test";
    request_.problem = tiny_problem();
    request_.baseline = "good";
    request_.measure.blocks = 3;
    request_.measure.samples = 2;
    request_.measure.warmup = 1;
    const Timeouts::Seconds two(2);
    request_.measure.timeouts = {two, two, two, two};
  }

  /// Runs the arms, all of them unfinished, and keeps the last record of each.
  void run(std::vector<ArmEntry> arms) {
    request_.arms = std::move(arms);
    std::vector<std::string> names;
    for (const ArmEntry& arm : request_.arms) names.push_back(arm.name);
    supervisor_.run(request_, names, [&](const Record& r) { records_[r.arm] = r; });
  }

  const Record& record(const std::string& arm) const { return records_.at(arm); }

  void expect_measured(const std::string& arm) const {
    EXPECT_EQ(record(arm).status, CellStatus::kOk) << record(arm).reason;
    EXPECT_GE(record(arm).samples.size(), 3U);
    EXPECT_EQ(record(arm).samples.at(0).seconds.size(), 2U);
    EXPECT_LT(record(arm).worst_output().relative_l2, 1e-5);
  }

  Supervisor supervisor_;
  GroupRequest request_;
  std::map<std::string, Record> records_;
};

/// Launches of an arm before its first timed one: two to verify, one to warm up.
constexpr std::int64_t kBeforeTiming = 3;

TEST_F(SupervisorTest, ReadyTellsOfTheDevice) {
  EXPECT_EQ(supervisor_.ready().at("device").at("id"), "cpu");
}

TEST_F(SupervisorTest, MeasuresEveryArmInEveryBlock) {
  run({fixture_arm("good", "good"), fixture_arm("same", "good")});
  expect_measured("good");
  expect_measured("same");
  EXPECT_TRUE(record("good").baseline);
  EXPECT_FALSE(record("same").baseline);
  EXPECT_EQ(record("good").stopped_by, "blocks");
  EXPECT_EQ(record("good").cell, "tiny/good/warm");
  EXPECT_EQ(record("good").samples.size(), 3U);
}

TEST_F(SupervisorTest, RecordsACrashAndMeasuresTheRest) {
  run({fixture_arm("good", "good"), fixture_arm("bad", "crash", kBeforeTiming)});
  expect_measured("good");
  EXPECT_EQ(record("bad").status, CellStatus::kCrashed);
  EXPECT_THAT(record("bad").reason, HasSubstr("in phase 'measure'"));
  EXPECT_THAT(record("bad").reason, HasSubstr("signal SIGABRT"));
  EXPECT_THAT(record("bad").reason, HasSubstr("it said: about to abort"));
  EXPECT_THAT(record("bad").reason, HasSubstr("cell tiny/bad/warm > phase measure"));
  EXPECT_EQ(record("bad").phase, "measure");
}

TEST_F(SupervisorTest, KeepsWhatWasKnownOfAnArmThatCrashes) {
  // Three blocks of one warm-up and two samples each; the last launch of the second one is bad.
  run({fixture_arm("good", "good"), fixture_arm("bad", "crash", kBeforeTiming + 4)});
  const Record& bad = record("bad");
  EXPECT_EQ(bad.status, CellStatus::kCrashed);
  ASSERT_EQ(bad.samples.size(), 1U);
  EXPECT_EQ(bad.samples.front().seconds.size(), 2U);
  EXPECT_GT(bad.worst_output().tolerance, 0);  // it was verified before
  ASSERT_EQ(bad.processes.size(), 1U);
  EXPECT_EQ(bad.processes.front().process, 0);
  EXPECT_EQ(record("good").processes.front().process, 1);
  EXPECT_EQ(record("good").processes.front().inputs.size(), 2U);
}

TEST_F(SupervisorTest, EachPhaseHasATimeLimitOfItsOwn) {
  const Timeouts::Seconds short_time(0.3);
  const Timeouts::Seconds long_time(60);
  request_.measure.timeouts = {long_time, long_time, short_time, long_time};
  run({fixture_arm("good", "good"), fixture_arm("bad", "hang")});
  expect_measured("good");
  EXPECT_EQ(record("bad").status, CellStatus::kHung);
  EXPECT_EQ(record("bad").phase, "verify");
  EXPECT_THAT(record("bad").reason, HasSubstr("no sign of life for 0.3 s; killed"));
}

TEST_F(SupervisorTest, NamesThePhaseOfACrashInPrepare) {
  run({fixture_arm("good", "good"), fixture_arm("bad", "crash-in-prepare")});
  expect_measured("good");
  EXPECT_EQ(record("bad").status, CellStatus::kCrashed);
  EXPECT_THAT(record("bad").reason, HasSubstr("in phase 'prepare'"));
}

TEST_F(SupervisorTest, BlamesTheArmWhoseDestructorCrashes) {
  run({fixture_arm("good", "good"), fixture_arm("bad", "crash-in-destructor")});
  expect_measured("good");
  EXPECT_EQ(record("bad").status, CellStatus::kCrashed);
  EXPECT_THAT(record("bad").reason, HasSubstr("in phase 'teardown'"));
}

TEST_F(SupervisorTest, RecordsAnExitCode) {
  run({fixture_arm("good", "good"), fixture_arm("bad", "exit")});
  expect_measured("good");
  EXPECT_EQ(record("bad").status, CellStatus::kCrashed);
  EXPECT_THAT(record("bad").reason, HasSubstr("exit code 7"));
}

TEST_F(SupervisorTest, KillsWhatHangsAndMeasuresTheRest) {
  run({fixture_arm("good", "good"), fixture_arm("bad", "hang", kBeforeTiming),
       fixture_arm("also", "good")});
  expect_measured("good");
  expect_measured("also");
  EXPECT_EQ(record("bad").status, CellStatus::kHung);
  EXPECT_THAT(record("bad").reason, HasSubstr("no sign of life for 2 s; killed"));
  EXPECT_THAT(record("bad").reason, HasSubstr("phase measure"));
}

TEST_F(SupervisorTest, GoesOnWithoutABaselineThatHangs) {
  request_.baseline = "bad";
  run({fixture_arm("bad", "hang"), fixture_arm("good", "good")});
  EXPECT_EQ(record("bad").status, CellStatus::kHung);
  EXPECT_TRUE(record("bad").baseline);
  expect_measured("good");
}

TEST_F(SupervisorTest, AWrongResultHasNoTime) {
  run({fixture_arm("good", "good"), fixture_arm("bad", "wrong")});
  expect_measured("good");
  EXPECT_EQ(record("bad").status, CellStatus::kWrong);
  EXPECT_GT(record("bad").worst_output().relative_l2, 1);
  EXPECT_THAT(record("bad").samples, IsEmpty());
}

TEST_F(SupervisorTest, AResultThatBecomesWrongWhileTimedHasNoTime) {
  run({fixture_arm("good", "good"), fixture_arm("bad", "wrong", kBeforeTiming)});
  EXPECT_EQ(record("bad").status, CellStatus::kWrong);
  EXPECT_THAT(record("bad").samples, IsEmpty());
}

TEST_F(SupervisorTest, AnExceptionIsAFailureWithItsMessage) {
  run({fixture_arm("good", "good"), fixture_arm("bad", "throw"), fixture_arm("odd", "throw-int")});
  expect_measured("good");
  EXPECT_EQ(record("bad").status, CellStatus::kFailed);
  EXPECT_EQ(record("bad").reason, "verify: thrown by the fixture");
  EXPECT_EQ(record("odd").status, CellStatus::kFailed);
}

TEST_F(SupervisorTest, UnsupportedIsSkippedWithItsReason) {
  run({fixture_arm("good", "good"), fixture_arm("bad", "unsupported")});
  expect_measured("good");
  EXPECT_EQ(record("bad").status, CellStatus::kSkipped);
  EXPECT_THAT(record("bad").reason, HasSubstr("as it was told"));
}

TEST_F(SupervisorTest, AModeThatTheDeviceLacksIsSkipped) {
  request_.mode = TimingMode::kGraph;
  run({fixture_arm("good", "good")});
  EXPECT_EQ(record("good").status, CellStatus::kSkipped);
}

TEST_F(SupervisorTest, WhatAVariantPrintsIsNotTakenForAnEvent) {
  run({fixture_arm("good", "print")});
  expect_measured("good");
}

TEST_F(SupervisorTest, BrokenInputsFailTheGroupWithTheReason) {
  request_.problem.directory = "/nowhere/at/all";
  run({fixture_arm("good", "good")});
  EXPECT_EQ(record("good").status, CellStatus::kFailed);
  EXPECT_THAT(record("good").reason, HasSubstr("/nowhere/at/all"));
}

TEST_F(SupervisorTest, ATooLargeProblemFailsBeforeItIsAllocated) {
  request_.problem.problem.queries = 1'000'000'000'000;
  run({fixture_arm("good", "good")});
  EXPECT_EQ(record("good").status, CellStatus::kFailed);
  EXPECT_THAT(record("good").reason, HasSubstr("free"));
}

TEST_F(SupervisorTest, TheBudgetEndsTheBlocks) {
  request_.measure.blocks = 100'000;
  request_.measure.budget = std::chrono::duration<double>(0.1);
  run({fixture_arm("good", "good")});
  EXPECT_EQ(record("good").status, CellStatus::kOk);
  EXPECT_EQ(record("good").stopped_by, "budget");
}

/// Who loses is the group runner's to say; that it is asked to is the supervisor's.
TEST_F(SupervisorTest, AHalvingStopsAllButTheBaselineAndThoseToKeep) {
  request_.measure.blocks = 2;
  request_.keep = 1;
  run({fixture_arm("good", "good"), fixture_arm("a", "good"), fixture_arm("b", "good")});
  EXPECT_EQ(record("good").samples.size(), 2U);
  EXPECT_EQ(record("a").samples.size() + record("b").samples.size(), 3U);
}

TEST_F(SupervisorTest, VerifyingAloneTakesNoTime) {
  request_.timed = false;
  run({fixture_arm("good", "good"), fixture_arm("bad", "wrong")});
  EXPECT_EQ(record("good").status, CellStatus::kOk);
  EXPECT_THAT(record("good").samples, IsEmpty());
  EXPECT_EQ(record("bad").status, CellStatus::kWrong);
}

TEST_F(SupervisorTest, ALaterArmIsTimedBesideTheBaselineAgain) {
  run({fixture_arm("good", "good")});
  request_.arms.push_back(fixture_arm("late", "good"));
  request_.process = 1;
  const Record first = record("good");
  supervisor_.run(request_, {"late"}, [&](const Record& r) { records_[r.arm] = r; }, {first});
  ASSERT_EQ(record("good").samples.size(), 3U);
  EXPECT_EQ(record("good").samples.front().process, 1);
  EXPECT_EQ(record("late").samples.front().process, 1);
}

/// A worker whose compiler dies over the arm "bad", whatever else it compiles at the same time.
constexpr const char* kWorkerWithABadCompiler = R"(#!/bin/bash
read -r token; token=${token#*:\"}; token=${token%\"*}
say() { echo "$token$1"; }
say '{"event":"ready"}'
phase() { say '{"event":"phase","cell":"'"$1"'","phase":"compile","range":""}'; }
while read -r request; do
  case "$request" in
    *'"separately":false'*) phase ''; kill -SEGV $$ ;;
    *'"name":"bad"'*) phase tiny/bad/warm; kill -SEGV $$ ;;
  esac
  say '{"event":"record","record":'"$RECORD"'}'
  say '{"event":"done"}'
done
)";

TEST_F(SupervisorTest, ACompilerThatDiesAmongSeveralArmsCostsOnlyItsOwn) {
  const TemporaryDirectory directory;
  const std::filesystem::path worker = directory.write("worker", kWorkerWithABadCompiler);
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
  Record good;
  good.arm = "good";
  good.status = CellStatus::kOk;
  ::setenv("RECORD", to_json(good).dump().c_str(), 1);
  Supervisor supervisor({worker, "cuda:0", {}, false});
  request_.arms = {fixture_arm("good", "good"), fixture_arm("bad", "good")};
  supervisor.run(request_, {"good", "bad"}, [&](const Record& r) { records_[r.arm] = r; });
  EXPECT_EQ(record("good").status, CellStatus::kOk);
  EXPECT_EQ(record("bad").status, CellStatus::kCrashed);
  EXPECT_THAT(record("bad").reason, HasSubstr("in phase 'compile'"));
  EXPECT_THAT(record("bad").reason, HasSubstr("signal SIGSEGV"));
}

/// A worker that hangs in a cell and takes no notice of the signal that should end it.
constexpr const char* kWorkerThatStays = R"(#!/bin/bash
trap '' TERM
read -r token; token=${token#*:\"}; token=${token%\"*}
echo "$token"'{"event":"ready"}'
read -r request
echo "$token"'{"event":"phase","cell":"tiny/bad/warm","phase":"measure","range":"block 3"}'
for ((i = 0; i < 100; ++i)); do sleep 0.1; done  # far longer than the test waits
)";

TEST_F(SupervisorTest, AWorkerThatCannotBeKilledEndsTheRunAfterItsRecord) {
  const TemporaryDirectory directory;
  const std::filesystem::path worker = directory.write("worker", kWorkerThatStays);
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
  Supervisor supervisor(
      {worker, "cuda:0", {}, false, {SIGTERM, std::chrono::duration<double>(0.2)}});
  request_.measure.timeouts.measure = Timeouts::Seconds(0.2);
  request_.arms = {fixture_arm("good", "good"), fixture_arm("bad", "good")};
  const auto keep = [&](const Record& r) { records_[r.arm] = r; };
  try {
    supervisor.run(request_, {"good", "bad"}, keep);
    FAIL();
  } catch (const DeviceUnusable& error) {
    EXPECT_THAT(error.what(), HasSubstr("cuda:0 is unusable"));
    EXPECT_EQ(error.exit_code(), ExitCode::kEnvironment);
  }
  EXPECT_EQ(records_.size(), 1U);
  EXPECT_EQ(record("bad").status, CellStatus::kHung);
  EXPECT_EQ(record("bad").phase, "measure");
  EXPECT_THAT(record("bad").reason, HasSubstr("unusable"));
}

TEST(WorkerProcess, IsNotCalledSilentForTheTimeInWhichItIsStopped) {
  Interrupts interrupts;
  // It is stopped for longer than it may be silent, and then speaks.
  WorkerProcess worker(interrupts, "/bin/sh",
                       {"-c", "(sleep 2; kill -CONT $$) & kill -STOP $$; echo back"});
  std::string line;
  EXPECT_EQ(worker.read(line, std::chrono::milliseconds(1200)), WorkerProcess::Outcome::kLine);
  EXPECT_EQ(line, "back");
}

TEST(WorkerProcess, IsSilentWhereItRunsAndSaysNothing) {
  Interrupts interrupts;
  WorkerProcess worker(interrupts, "/bin/sh", {"-c", "sleep 60"});
  std::string line;
  EXPECT_EQ(worker.read(line, std::chrono::milliseconds(100)), WorkerProcess::Outcome::kSilent);
}

TEST(Supervisor, AMissingDeviceIsTheMachinesFault) {
  Supervisor supervisor({program(), "cuda:99", {fixture_directory()}, false});
  EXPECT_THROW(supervisor.ready(), EnvironmentError);
}

TEST(Supervisor, AProgramThatDoesNotStartIsNamed) {
  Supervisor supervisor({"/nowhere/msda", "cpu", {}, false});
  try {
    supervisor.ready();
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/msda"));
  }
}

TEST(WorkerProcess, TellsASignalFromOutsideFromACrash) {
  Interrupts interrupts;
  const auto ends_from_outside = [&](const char* command) {
    WorkerProcess worker(interrupts, "/bin/sh", {"-c", command});
    std::string line;
    EXPECT_EQ(worker.read(line, std::chrono::seconds(10)), WorkerProcess::Outcome::kEnded);
    return worker.ended_from_outside();
  };
  EXPECT_TRUE(ends_from_outside("kill -KILL $$"));
  EXPECT_TRUE(ends_from_outside("kill -TERM $$"));
  EXPECT_FALSE(ends_from_outside("kill -ABRT $$"));
  EXPECT_FALSE(ends_from_outside("exit 3"));
}

TEST(WorkerProcess, IsQuotedWithTheLastLineOfALongSpeech) {
  Interrupts interrupts;
  WorkerProcess worker(
      interrupts, "/bin/sh",
      {"-c", "for i in $(seq 2000); do echo word $i; done >&2; echo why >&2; exit 3"});
  std::string line;
  EXPECT_EQ(worker.read(line, std::chrono::seconds(10)), WorkerProcess::Outcome::kEnded);
  EXPECT_THAT(worker.end_reason(), testing::EndsWith("; it said: why"));
}

TEST(Supervisor, AMissingPluginDirectoryIsWrongUsage) {
  Supervisor supervisor({program(), "cpu", {"/nowhere/plugins"}, false});
  EXPECT_THAT([&] { supervisor.ready(); },
              testing::ThrowsMessage<UsageError>(HasSubstr("/nowhere/plugins")));
}

}  // namespace
}  // namespace msda::test
