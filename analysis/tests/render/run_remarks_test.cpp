#include "render/words/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/synthetic.hpp"

namespace msda {
namespace {

using testing::HasSubstr;

nlohmann::json manifest() {
  return {{"device", {{"kind", "cuda"}}},
          {"time", {{"total_seconds", 130.0}, {"compile_seconds", 10.0}, {"busy_seconds", 90.0}}},
          {"groups",
           {{{"problem", "captured"},
             {"mode", "warm"},
             {"processes", 5},
             {"stopped_by", "precision"},
             {"precision", 0.004}}}}};
}

Table table(std::vector<SampleBlock> samples) {
  return make_report(Manifest(), {synthetic::baseline("a", std::move(samples))}).tables.front();
}

TEST(RunAccount, LeavesCompilationOut) {
  EXPECT_EQ(time_account(manifest_from_json(manifest())).value().share(), 0.75);
  EXPECT_EQ(time_sentence(manifest_from_json(manifest())),
            "Of 120 s after compilation 75% went into verifying and measuring arms on the GPU, "
            "with the warm-ups, flushes and checks of that.");
  EXPECT_EQ(time_sentence({}), "");
}

TEST(RunAccount, SaysWhyNoMoreProcessesRan) {
  const Table warm = table(synthetic::steady(1e-3, 5));
  Manifest run = manifest_from_json(manifest());
  GroupEntry& group = run.groups.at(0);
  EXPECT_EQ(stop_sentence(run, warm),
            "Ended after 5 processes: no 95% interval of a ratio is wider than +-0.4%.");
  group.stopped_by = "budget";
  group.precision = 0.021;
  EXPECT_EQ(stop_sentence(run, warm),
            "Ended after 5 processes with the time budget; the widest 95% interval of a ratio is "
            "+-2.1%.");
  group.precision = 1.7;
  EXPECT_THAT(stop_sentence(run, warm), HasSubstr("is +-170%."));
  group.stopped_by = "processes";
  group.processes = 1;
  group.precision = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(stop_sentence(run, warm), "Ended after 1 process, as many as it may have.");
  group.stopped_by = "";
  EXPECT_EQ(stop_sentence(run, warm), "Not at its end: 1 process so far.");
  group.problem = "another";
  EXPECT_EQ(stop_sentence(run, warm), "");
}

TEST(RunAccount, SaysHowManyElementsHaveTwoRightResults) {
  Table two = table(synthetic::steady(1e-3, 5));
  EXPECT_EQ(knots_sentence(two), "");
  OutputError locations;
  locations.name = "grad_sampling_locations";
  locations.on_knots = 12;
  two.rows.front().record.outputs = {OutputError(), locations};
  EXPECT_THAT(knots_sentence(two), HasSubstr("At most 12 elements of grad_sampling_locations lie"));
  EXPECT_THAT(run_remarks({}, two), testing::Contains(knots_sentence(two)));
}

TEST(RunAccount, CountsThrottledBlocks) {
  std::vector<SampleBlock> samples = synthetic::steady(1e-3, 2, 2);
  EXPECT_EQ(throttle_sentence(table(samples)), "");
  samples[1].throttled = {"sw-power-cap"};
  samples[2].throttled = {"hw-thermal", "sw-power-cap"};
  EXPECT_EQ(
      throttle_sentence(table(samples)),
      "GPU clocks were throttled (hw-thermal, sw-power-cap) in 2 of 4 blocks of samples; these are "
      "included.");
}

TEST(RunAccount, NamesArmsWhoseThreadsRanBesideOthers) {
  Table beside = table(synthetic::steady(1e-3, 5));
  EXPECT_EQ(threads_sentence(beside), "");
  Record& record = beside.rows.front().record;
  record.processes = {ProcessRun(), ProcessRun()};
  record.processes[1].foreign_processors = {{"spinning", 0.97}};
  EXPECT_THAT(threads_sentence(beside),
              HasSubstr("Threads that spinning left running kept 0.97 processors busy while " +
                        record.arm + " was timed"));
  EXPECT_THAT(run_remarks({}, beside), testing::Contains(threads_sentence(beside)));
}

TEST(RunAccount, StandsInTheReport) {
  const Report report =
      make_report(manifest(), {synthetic::baseline("a", synthetic::steady(1e-3, 5))});
  EXPECT_THAT(to_markdown(report), HasSubstr("75% went into verifying and measuring arms"));
  EXPECT_THAT(to_terminal(report, false), HasSubstr("wider than +-0.4%"));
}

TEST(RunAccount, NamesTheMostThatThreadsOfAnArmWereBusy) {
  Table beside = table(synthetic::steady(1e-3, 5));
  std::vector<ProcessRun>& processes = beside.rows.front().record.processes;
  processes = {ProcessRun(), ProcessRun()};
  processes[0].foreign_processors = {{"spinning", 0.97}};
  processes[1].foreign_processors = {{"spinning", 0.2}};
  EXPECT_THAT(threads_sentence(beside), HasSubstr("kept 0.97 processors busy"));
}

}  // namespace
}  // namespace msda
