// Whatever a variant does, the run goes on and says what happened.
#include "runner/supervisor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

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
    request_.measure.timeout = std::chrono::duration<double>(2);
  }

  /// Runs the arms, all of them unfinished, and keeps the last record of each.
  void run(std::vector<Arm> arms) {
    request_.arms = std::move(arms);
    std::vector<std::string> names;
    for (const Arm& arm : request_.arms) names.push_back(arm.name);
    supervisor_.run(request_, names, [&](const Record& r) { records_[r.arm] = r; });
  }

  const Record& record(const std::string& arm) const { return records_.at(arm); }

  void expect_measured(const std::string& arm) const {
    EXPECT_EQ(record(arm).status, CellStatus::kOk) << record(arm).reason;
    EXPECT_GE(record(arm).samples.size(), 3U);
    EXPECT_EQ(record(arm).samples.at(0).seconds.size(), 2U);
    EXPECT_LT(record(arm).relative_l2, 1e-5);
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
  EXPECT_THAT(record("bad").samples, IsEmpty());
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
  EXPECT_GT(record("bad").relative_l2, 1);
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
  const std::vector<SampleBlock>& samples = record("good").samples;
  ASSERT_EQ(samples.size(), 6U);
  EXPECT_EQ(samples.front().process, 0);
  EXPECT_EQ(samples.front().seconds, first.samples.front().seconds);
  EXPECT_EQ(samples.back().process, 1);
  EXPECT_EQ(record("late").samples.front().process, 1);
}

/// A worker whose compiler dies over the arm "bad", whatever else it compiles at the same time.
constexpr const char* kWorkerWithABadCompiler = R"(#!/bin/bash
echo '{"event":"ready"}'
phase() { echo '{"event":"phase","cell":"'"$1"'","phase":"compile","range":""}'; }
while read -r request; do
  case "$request" in
    *'"separately":false'*) phase ''; kill -SEGV $$ ;;
    *'"name":"bad"'*) phase tiny/bad/warm; kill -SEGV $$ ;;
  esac
  echo '{"event":"record","record":'"$RECORD"'}'
  echo '{"event":"done"}'
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

}  // namespace
}  // namespace msda::test
