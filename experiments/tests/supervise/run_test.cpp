// A run from YAML to its results directory, interrupted and resumed.
#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/record.hpp"
#include "results/run_ranges.hpp"
#include "runner/supervise/manifest.hpp"
#include "runner/supervise/run.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kExperiment = R"(
device: cpu
problems:
  - {name: one, queries: 3, channels: 4, levels: [[4, 4]]}
  - {name: two, queries: 4, channels: 4, levels: [[4, 4]]}
arms:
  - fixture
  - {name: slow, use: [{fixture: {milliseconds: 1}}]}
measure: {noise_pair: false, processes: 1, blocks: 20, samples: 2, warmup: 0, timeout: 5 s}
)";

/// Takes seconds, so that there is time to interrupt it.
constexpr const char* kLongExperiment = R"(
device: cpu
problems:
  - {name: short, queries: 3, channels: 4, levels: [[4, 4]]}
  - {name: long, queries: 4, channels: 4, levels: [[4, 4]]}
arms: [fixture, {name: slow, use: [{fixture: {milliseconds: 20}}]}]
measure: {noise_pair: false, processes: 1, blocks: 20, samples: 2, warmup: 0, timeout: 5 s, budget: 1 s}
)";

class RunTest : public testing::Test {
 protected:
  fs::path results() const { return directory_.path() / "results"; }
  fs::path records_file() const { return results() / kRecordsFile; }

  /// Waits until the run has left `count` records.
  void wait_for_records(std::size_t count) const {
    for (int i = 0; i < 1000; ++i) {
      if (fs::exists(records_file()) && read_records(records_file()).size() >= count) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    FAIL() << "no " << count << " records";
  }

  TemporaryDirectory directory_;
};

TEST_F(RunTest, LeavesRecordsManifestAndReport) {
  const fs::path file = directory_.write("x.yaml", kExperiment);
  const Outcome outcome = run({"run", file, "--output", results()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("slow"));
  EXPECT_THAT(outcome.err, HasSubstr("[1/2] one warm"));
  EXPECT_EQ(read_records(records_file()).size(), 4U);
  for (const char* name : {"report.md", "report.csv", "report.json"}) {
    EXPECT_TRUE(fs::exists(results() / name)) << name;
  }
  const nlohmann::json manifest = to_json(read_manifest(results()));
  EXPECT_EQ(manifest.at("status"), "complete");
  EXPECT_EQ(manifest.at("experiment_text"), kExperiment);
  EXPECT_EQ(manifest.at("device").at("id"), "cpu");
  EXPECT_EQ(manifest.at("plan").at("cells").size(), 4U);
  EXPECT_EQ(manifest.at("problems").at(0).at("name"), "one");
  EXPECT_GT(manifest.at("problems").at(0).at("flops"), 0);
  EXPECT_EQ(manifest.at("plugins").at(0).at("name"), "fixture");
  EXPECT_EQ(manifest.at("plugins").at(0).at("build_type"), MSDA_BUILD_CONFIGURATION);
  EXPECT_TRUE(manifest.at("plugins").at(0).contains("optimized"));
  EXPECT_GT(manifest.at("ceilings").at("dram_bytes_per_second"), 0);
}

TEST_F(RunTest, LeavesWhenItDidWhat) {
  const fs::path file = directory_.write("x.yaml", kExperiment);
  EXPECT_EQ(run({"run", file, "--output", results()}).exit_code, 0);
  double samples = 0;
  std::set<std::string> phases;
  for (const RunRange& range : read_ranges(results() / kRangesFile)) {
    EXPECT_EQ(range.device, "cpu");
    phases.insert(range.phase);
    if (range.steps.contains("samples")) samples += range.steps.at("samples");
  }
  for (const char* phase : {"verify", "measure", "verify again"}) {
    EXPECT_TRUE(phases.contains(phase)) << phase;
  }
  // The slow arm alone sleeps a millisecond in each of 20 * 2 launches on two problems.
  EXPECT_GT(samples, 80e-3);
  const Outcome report = run({"report", results(), "--format", "json"});
  const nlohmann::json timeline = nlohmann::json::parse(report.out).at("timeline");
  EXPECT_GT(timeline.at("seconds").get<double>(), samples);
}

TEST_F(RunTest, ClaimsHaveVerdictsInTheReportsOfTheDirectoryAlone) {
  const fs::path file = directory_.write("x.yaml", std::string(kExperiment) + R"(
claims:
  - {text: slow is fast, source: a paper, arm: slow, speedup: 1.5x}
  - {text: slow is slow, source: a paper, arm: fixture, over: slow, speedup: 2..100000x, problem: two}
  - {text: it scales, source: a paper, arm: slow, not-testable: one machine}
)");
  const Outcome outcome = run({"run", file, "--output", results()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("Claims: Of 4 checks: 1 confirmed, 2 opposite, 1 not testable."));
  EXPECT_TRUE(fs::exists(results() / "claims.csv"));
  fs::remove(file);
  const Outcome report = run({"report", results(), "--format", "json"});
  const nlohmann::json claims = nlohmann::json::parse(report.out).at("claims");
  ASSERT_EQ(claims.size(), 4U);
  EXPECT_EQ(claims[0].at("verdict"), "opposite");
  EXPECT_EQ(claims[0].at("claim").at("over"), "fixture");
  EXPECT_EQ(claims[1].at("problem"), "two");
  EXPECT_EQ(claims[2].at("verdict"), "confirmed");
  EXPECT_EQ(claims[3].at("reason"), "one machine");
  EXPECT_THAT(run({"report", results(), "--format", "claims-csv"}).out,
              HasSubstr("slow is fast,a paper,slow,fixture,speedup,,1.5x,"));
}

TEST_F(RunTest, ADeviceThatOnlyChecksLeavesVerdictsAndNoTimes) {
  const fs::path file = directory_.write("x.yaml", R"(
device: simt:3
problems:
  - {name: tiny, queries: 5, channels: 8, points: 2, levels: [[3, 4], [2, 2]]}
arms: [thread-per-channel]
measure: {modes: [cold, warm]}
)");
  const Outcome outcome = run({"run", file, "--output", results()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("measures nothing"));
  const auto records = read_records(records_file());
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].status, CellStatus::kOk);
  EXPECT_EQ(records[0].device, "simt:3");
  EXPECT_TRUE(records[0].samples.empty());
  EXPECT_GT(records[0].worst_output().tolerance, 0);
  ASSERT_TRUE(records[0].evidence);
  EXPECT_EQ(records[0].evidence->status, Evidence::Status::kShown);
  EXPECT_EQ(records[0].evidence->numbers.at("rows"), 5);
}

TEST_F(RunTest, AWrongArmLeadsToExitCodeOneAndTheRestIsThere) {
  const fs::path file = directory_.write("x.yaml", R"(
device: cpu
problems: [{name: one, queries: 3, channels: 4, levels: [[4, 4]]}]
arms: [fixture, {name: bad, use: [{fixture: {behaviour: wrong}}]}]
measure: {noise_pair: false, processes: 1, blocks: 2, samples: 1}
)");
  const Outcome outcome = run({"run", file, "--output", results()});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("wrong"));
  EXPECT_EQ(read_records(records_file()).size(), 2U);
}

TEST_F(RunTest, AnInterruptedRunCanBeResumed) {
  const fs::path file = directory_.write("long run.yaml", kLongExperiment);
  Child child({"run", file, "--output", results()}, directory_.path());
  wait_for_records(2);
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(outcome.err,
              HasSubstr("msda run '" + file.string() + "' --resume " + results().string() + "\n"));
  EXPECT_EQ(read_manifest(results()).status, "interrupted");
  const std::vector<Record> before = read_records(records_file());

  const Outcome resumed = run({"run", file, "--resume", results()});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  const std::vector<Record> after = read_records(records_file());
  ASSERT_EQ(after.size(), 4U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(to_json(after[i]), to_json(before[i]));
  EXPECT_EQ(read_manifest(results()).status, "complete");
  EXPECT_EQ(read_manifest(results()).resumed.size(), 1U);
}

TEST_F(RunTest, AKilledRunCanBeResumedAndItsTornRecordIsRepeated) {
  const fs::path file = directory_.write("x.yaml", kLongExperiment);
  Child child({"run", file, "--output", results()}, directory_.path());
  wait_for_records(2);
  child.signal(SIGKILL);
  child.wait();
  std::ofstream(records_file(), std::ios::app) << R"({"schema":1,"cell":"lo)";
  const Outcome resumed = run({"run", file, "--resume", results()});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(read_records(records_file()).size(), 4U);
}

TEST_F(RunTest, ResumingAFinishedArmKeepsTheBaselinesSamples) {
  const fs::path file = directory_.write("x.yaml", kExperiment);
  ASSERT_EQ(run({"run", file, "--output", results()}).exit_code, 0);
  // As if the run had ended before the last cell did.
  const std::vector<Record> all = read_records(records_file());
  fs::remove(records_file());
  RecordWriter writer(records_file());
  for (const Record& record : all) {
    if (record.cell != "two/slow/warm") writer.write(record);
  }
  const Outcome resumed = run({"run", file, "--resume", results()});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  for (const Record& record : read_records(records_file())) {
    if (record.cell == "two/fixture/warm") {
      EXPECT_EQ(record.samples.size(), 40U);
      EXPECT_EQ(record.samples.front().process, 0);
      EXPECT_EQ(record.samples.back().process, 1);
    }
    if (record.cell == "two/slow/warm") {
      EXPECT_EQ(record.samples.front().process, 1);
    }
  }
}

TEST_F(RunTest, EveryProcessIsOneOfItsOwnWithInputsOfItsOwn) {
  const fs::path file = directory_.write("x.yaml", R"(
device: cpu
problems:
  - {name: one, queries: 3, channels: 4, levels: [[4, 4]]}
  - {name: two, queries: 4, channels: 4, levels: [[4, 4]]}
arms: [fixture, {name: slow, use: [{fixture: {milliseconds: 1}}]}]
measure: {noise_pair: false, processes: 3, most_processes: 3, blocks: 2, samples: 1, warmup: 0}
)");
  const Outcome outcome = run({"run", file, "--output", results()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("[6/6] two warm, process 3"));
  for (const Record& record : read_records(records_file())) {
    EXPECT_EQ(record.samples.size(), 6U);
    ASSERT_EQ(record.processes.size(), 3U);
    std::set<std::string> inputs;
    for (int process = 0; process < 3; ++process) {
      const ProcessRun& one = record.processes[static_cast<std::size_t>(process)];
      EXPECT_EQ(one.process, process);
      EXPECT_GT(one.measured_seconds, 0);
      inputs.insert(one.inputs.begin(), one.inputs.end());
    }
    EXPECT_EQ(inputs.size(), 6U);  // two sets in each process
  }
  const nlohmann::json manifest = to_json(read_manifest(results()));
  EXPECT_EQ(manifest.at("groups").size(), 2U);
  EXPECT_EQ(manifest.at("groups").at(0).at("processes"), 3);
  const nlohmann::json& time = manifest.at("time");
  EXPECT_GT(time.at("busy_seconds"), 0);
  EXPECT_GT(time.at("total_seconds"), time.at("busy_seconds"));
  EXPECT_GT(time.at("phase_seconds").at("start"), 0);
  EXPECT_THAT(run({"report", results()}).out,
              HasSubstr("% went into verifying and measuring arms"));
}

TEST_F(RunTest, AnArmThatFailsInOneProcessDoesNotRunInTheNext) {
  const fs::path file = directory_.write("x.yaml", R"(
device: cpu
problems: [{name: one, queries: 3, channels: 4, levels: [[4, 4]]}]
arms: [fixture, {name: bad, use: [{fixture: {behaviour: crash}}]}]
measure: {noise_pair: false, processes: 2, most_processes: 2, blocks: 2, samples: 1, warmup: 0}
)");
  EXPECT_EQ(run({"run", file, "--output", results()}).exit_code, 1);
  const std::vector<Record> records = read_records(records_file());
  ASSERT_EQ(records.size(), 2U);
  for (const Record& record : records) {
    const bool bad = record.arm == "bad";
    EXPECT_EQ(record.status, bad ? CellStatus::kCrashed : CellStatus::kOk);
    EXPECT_EQ(record.processes.size(), bad ? 1U : 2U);
  }
}

TEST_F(RunTest, RefusesToResumeAnotherExperiment) {
  const fs::path file = directory_.write("x.yaml", kExperiment);
  ASSERT_EQ(run({"run", file, "--output", results()}).exit_code, 0);
  directory_.write("x.yaml", std::string(kExperiment) + "# changed\n");
  const Outcome outcome = run({"run", file, "--resume", results()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("has changed since the run began"));
}

TEST_F(RunTest, RefusesToGoOnWithOtherTensors) {
  const std::string tensors = directory_.path() / "tensors";
  const auto generate = [&](const std::string& seed) {
    return run({"input", "generate", "queries=2", "levels=3x3", "seed=" + seed, "--output", tensors,
                "--force"});
  };
  const Outcome generated = generate("1");
  ASSERT_EQ(generated.exit_code, 0) << generated.err;
  const fs::path file = directory_.write("x.yaml",
                                         "device: cpu\nproblems: [{name: p, input: tensors}]\n"
                                         "arms: [fixture]\nmeasure: {blocks: 1, samples: 1}\n");
  const Outcome first = run({"run", file, "--output", results()});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(run({"run", file, "--resume", results()}).exit_code, 0);
  ASSERT_EQ(generate("2").exit_code, 0);
  const Outcome other = run({"run", file, "--resume", results()});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("differs from what is here in the files that arms or problems"));
}

TEST_F(RunTest, RefusesToOverwriteARun) {
  const fs::path file = directory_.write("x.yaml", kExperiment);
  ASSERT_EQ(run({"run", file, "--output", results()}).exit_code, 0);
  const Outcome outcome = run({"run", file, "--output", results()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("already holds a run"));
}

TEST_F(RunTest, TakesNoRecordsForItsOwnAndOverwritesNoReport) {
  const fs::path file = directory_.write("x.yaml", kExperiment);
  ASSERT_EQ(run({"run", file, "--output", results()}).exit_code, 0);
  for (const char* name : {"records.jsonl", "report.md"}) {
    const TemporaryDirectory other;
    fs::copy_file(results() / name, other.path() / name);
    const Outcome outcome = run({"run", file, "--output", other.path()});
    EXPECT_EQ(outcome.exit_code, 2) << name;
    EXPECT_THAT(outcome.err, HasSubstr(std::string(name) + " already; give another --output"));
  }
}

TEST_F(RunTest, TakesNoSearchForItsOwn) {
  const fs::path file = directory_.write("x.yaml", kExperiment);
  const TemporaryDirectory other;
  other.write("search.jsonl", "");
  const Outcome outcome = run({"run", file, "--output", other.path()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("search.jsonl already; give another --output"));
}

TEST_F(RunTest, ACellThatIsSkippedIsNoFailure) {
  const fs::path file = directory_.write("x.yaml", R"(
device: cpu
problems: [{name: one, queries: 3, channels: 4, levels: [[4, 4]], types: fp16}]
arms: [fixture]
measure: {processes: 1, blocks: 2, samples: 1, warmup: 0}
)");
  EXPECT_EQ(run({"run", file, "--output", results()}).exit_code, 0);
  const std::vector<Record> records = read_records(results() / kRecordsFile);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].status, CellStatus::kSkipped);
}

TEST_F(RunTest, IsNeitherBegunNorGoneOnWithWhereBothPlacesAreGiven) {
  const fs::path file = directory_.write("x.yaml", kExperiment);
  const Outcome outcome = run({"run", file, "--output", results(), "--resume", results()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("give either --output or --resume, not both"));
  EXPECT_FALSE(fs::exists(results()));
}

}  // namespace
}  // namespace msda::test
