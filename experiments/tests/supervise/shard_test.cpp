// Parts of a run, and what they come to when they are joined.
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/counters.hpp"
#include "results/record.hpp"
#include "results/run_ranges.hpp"
#include "runner/plan/plan.hpp"
#include "runner/supervise/manifest.hpp"
#include "runner/supervise/merge.hpp"
#include "runner/supervise/run.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(Shard, IsWrittenAsPartOfAWhole) {
  EXPECT_EQ(parse_shard("2/8").index, 2);
  EXPECT_EQ(parse_shard("2/8").count, 8);
  for (const char* text : {"", "2", "0/3", "4/3", "1/", "/3", "1/3x", "a/b", "-1/3", "1/0"}) {
    EXPECT_THROW(parse_shard(text), UsageError) << text;
  }
}

TEST(Shard, PartsAreEvenAndTogetherAreTheWhole) {
  for (const std::size_t size : {0U, 1U, 5U, 8U, 17U}) {
    std::vector<Group> groups;
    for (std::size_t i = 0; i < size; ++i) groups.push_back({i, TimingMode::kWarm});
    for (int count = 1; count <= 9; ++count) {
      std::vector<std::size_t> all;
      for (int index = 1; index <= count; ++index) {
        const std::vector<Group> part = part_of(groups, {index, count});
        EXPECT_LE(part.size(), size / static_cast<std::size_t>(count) + 1);
        EXPECT_GE(part.size(), size / static_cast<std::size_t>(count));
        for (const Group& group : part) all.push_back(group.problem);
      }
      ASSERT_EQ(all.size(), size);
      for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(all[i], i);
    }
  }
}

TEST(Devices, HaveToBeAlike) {
  Plan plan;
  DeviceInfo first;
  first.id = "cuda:0";
  first.name = "GPU A";
  DeviceInfo second = first;
  second.id = "cuda:1";
  use_devices(plan, {first, second});
  EXPECT_THAT(plan.devices, testing::ElementsAre("cuda:0", "cuda:1"));
  EXPECT_THROW(use_devices(plan, {first, first}), UsageError);
  second.name = "GPU B";
  EXPECT_THROW(use_devices(plan, {first, second}), UsageError);
}

TEST(Devices, AreNotSharedWithAnArmThatTakesSeveral) {
  Plan plan;
  plan.arms.push_back(make_arm(shipped_registry(), "pair", {{"batch-split", {{"devices", 2}}}}));
  DeviceInfo first;
  first.id = "cuda:0";
  DeviceInfo second = first;
  second.id = "cuda:1";
  use_devices(plan, {first});
  try {
    use_devices(plan, {first, second});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("arm 'pair' works on 2 devices at a time"));
  }
}

TEST(Devices, ShareTheGroupsOfARun) {
  const TemporaryDirectory directory;
  const fs::path file = directory.write("x.yaml", R"(
device: cpu
problems:
  - {name: one, queries: 3, channels: 4, levels: [[4, 4]]}
  - {name: two, queries: 4, channels: 4, levels: [[4, 4]]}
  - {name: three, queries: 5, channels: 4, levels: [[4, 4]]}
arms: [fixture, {name: bad, use: [{fixture: {behaviour: crash}}]}]
measure: {noise_pair: false, processes: 2, most_processes: 2, blocks: 2, samples: 1, warmup: 0}
)");
  const Experiment experiment = load_experiment(file, fixture_registry());
  Plan plan = make_plan(experiment, fixture_registry(), choose_device("cpu", list_devices()));
  plan.devices = {"cpu", "cpu"};  // as if there were two of them
  const TemporaryFile progress(std::tmpfile());
  SessionOptions options;
  options.program = program();
  options.plugin_directories = {fixture_directory()};
  const ResultsDirectory results(directory.path() / "results");
  options.progress = progress.get();
  const RunOutcome outcome = run_experiment(experiment, plan, fixture_registry(), results, options);
  EXPECT_EQ(outcome.failures, 3);
  const std::vector<Record> records = read_records(results.path() / kRecordsFile);
  EXPECT_EQ(records.size(), 6U);
  for (const Record& record : records) {
    const bool bad = record.arm == "bad";
    EXPECT_EQ(record.status, bad ? CellStatus::kCrashed : CellStatus::kOk) << record.reason;
    EXPECT_EQ(record.processes.size(), bad ? 1U : 2U);
  }
  const Manifest manifest = read_manifest(results.path());
  EXPECT_EQ(manifest.devices.size(), 2U);
  double ranges = 0;  // of both
  for (const RunRange& range : read_ranges(results.path() / kRangesFile)) {
    ranges += range.end - range.begin;
  }
  EXPECT_NEAR(manifest.time.value().total_seconds, ranges, 0.1 * ranges);
}

class MergeTest : public testing::Test {
 protected:
  fs::path experiment(const std::string& extra = "") const {
    return directory_.write("x.yaml", R"(
device: cpu
problems:
  - {name: one, queries: 3, channels: 4, levels: [[4, 4]]}
  - {name: two, queries: 4, channels: 4, levels: [[4, 4]]}
  - {name: three, queries: 5, channels: 4, levels: [[4, 4]]}
arms: [fixture, {name: slow, use: [{fixture: {milliseconds: 1}}]}]
measure: {noise_pair: false, processes: 1, modes: [warm, cold], blocks: 2, samples: 1, warmup: 0}
)" + extra);
  }
  fs::path results(const std::string& name) const { return directory_.path() / name; }
  /// `best` beside a winner that is `use`.
  fs::path experiment_with_best(const std::string& use = "fixture") const {
    directory_.write("winners.yaml", fmt::format(R"(
winners:
  - device: elsewhere
    kind: cpu
    compute_capability: 0
    problem: {{name: tuned, queries: 3, channels: 4, levels: [[4, 4]]}}
    mode: warm
    error: 1e-5
    use: [{}]
    baseline: direct
    gain: 1.25
    gain_95: [1.2, 1.3]
    searched_gain: 1.3
    microseconds: 5
    date: 2026-11-21
    command: msda tune x.yaml
    program: 0.1.0
)",
                                                 use));
    return directory_.write("best.yaml", R"(
device: cpu
problems:
  - {name: one, queries: 3, channels: 4, levels: [[4, 4]]}
  - {name: two, queries: 4, channels: 4, levels: [[4, 4]]}
arms: [{name: direct, use: [fixture]}, best]
measure: {noise_pair: false, processes: 1, blocks: 2, samples: 1, warmup: 0}
)");
  }
  /// Runs a shard and returns its directory.
  std::string run_shard(const fs::path& file, const std::string& shard) const {
    std::string directory = results("shard-" + shard.substr(0, 1));
    const Outcome outcome = run({"run", file, "--shard", shard, "--output", directory});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return directory;
  }

  TemporaryDirectory directory_;
};

TEST_F(MergeTest, ShardsComeToTheWholeRun) {
  const fs::path file = experiment();
  std::vector<std::string> command = {"merge", "--output", results("all")};
  for (const char* shard : {"1/4", "2/4", "3/4", "4/4"}) command.push_back(run_shard(file, shard));
  const Outcome merged = run(command);
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("On 3 problems in 2 modes"));
  std::set<std::string> cells;
  for (const Record& record : read_records(results("all") / kRecordsFile)) {
    cells.insert(record.cell);
  }
  EXPECT_EQ(cells.size(), 12U);
  const Manifest manifest = read_manifest(results("all"));
  EXPECT_EQ(manifest.status, "complete");
  EXPECT_EQ(manifest.shards.size(), 4U);
  EXPECT_EQ(manifest.groups.size(), 6U);
  EXPECT_EQ(manifest.plan.cells.size(), 12U);
  EXPECT_GT(manifest.time.value().busy_seconds, 0);
  EXPECT_TRUE(fs::exists(results("all") / "report.html"));
}

TEST_F(MergeTest, KeepsWhatBestStoodForInEveryShard) {
  const fs::path file = experiment_with_best();
  const std::string first = run_shard(file, "1/2");
  const std::string second = run_shard(file, "2/2");
  ASSERT_EQ(run({"merge", "--output", results("all"), first, second}).exit_code, 0);
  std::vector<std::string> problems;
  const Manifest manifest = read_manifest(results("all"));
  for (const PickEntry& pick : manifest.plan.best) problems.push_back(pick.problem);
  EXPECT_THAT(problems, testing::ElementsAre("one", "two"));
}

TEST_F(MergeTest, ARunIsNotResumedWithAnotherWinner) {
  const fs::path file = experiment_with_best();
  const std::string first = run_shard(file, "1/2");
  EXPECT_EQ(run({"run", file, "--resume", first, "--shard", "1/2"}).exit_code, 0);
  experiment_with_best("{fixture: {milliseconds: 1}}");
  const Outcome outcome = run({"run", file, "--resume", first, "--shard", "1/2"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("a search has found another winner since, for one/best/warm"));
}

TEST_F(MergeTest, OfAShardItsOwnCellsAreProfiled) {
  const fs::path file = directory_.write("gpu.yaml", R"(
problems:
  - {name: one, queries: 3, channels: 4, levels: [[4, 4]]}
  - {name: two, queries: 4, channels: 4, levels: [[4, 4]]}
arms: [fixture, {name: gpu, use: [vector-loads]}]
measure: {noise_pair: false, processes: 1, blocks: 2, samples: 1, warmup: 0}
)");
  const fs::path shard = results("shard-2");
  ASSERT_EQ(run({"run", file, "--device", "cpu", "--shard", "2/2", "--output", shard}).exit_code,
            0);
  Manifest manifest = read_manifest(shard);
  manifest.device.value().id = "cuda:0";
  manifest.device.value().kind = DeviceKind::kCuda;
  write_manifest(shard, manifest);
  const Outcome printed = run({"profile", shard, "--print"});
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("two-warm"));
  EXPECT_THAT(printed.out, testing::Not(HasSubstr("one-warm")));
  EXPECT_THAT(run({"profile", results("none")}).err,
              HasSubstr("none' is neither an experiment nor the directory of a run"));
  std::ofstream(file, std::ios::app) << "# changed\n";
  EXPECT_THAT(run({"profile", shard, "--print"}).err,
              HasSubstr("has changed since the run in " + shard.string()));
  fs::remove(file);
  const Outcome lost = run({"profile", shard, "--print"});
  EXPECT_EQ(lost.exit_code, 2);
  EXPECT_THAT(lost.err, HasSubstr("is a run of the experiment " + file.string()));
}

TEST_F(MergeTest, NamesWhatIsMissing) {
  const fs::path file = experiment();
  const std::string first = run_shard(file, "1/3");
  const Outcome merged = run({"merge", "--output", results("all"), first});
  EXPECT_EQ(merged.exit_code, 1);
  EXPECT_THAT(merged.err, HasSubstr("missing: shard 2/3"));
  EXPECT_THAT(merged.err, HasSubstr("missing: shard 3/3"));
}

TEST_F(MergeTest, AShardWithoutCellsIsNotMissed) {
  const fs::path file = directory_.write("one.yaml", R"(
device: cpu
problems: [{name: one, queries: 3, channels: 4, levels: [[4, 4]]}]
arms: [fixture]
measure: {noise_pair: false, processes: 1, blocks: 2, samples: 1, warmup: 0}
)");
  const std::string second = run_shard(file, "2/2");
  const Outcome merged = run({"merge", "--output", results("all"), second});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_THAT(merged.err, testing::Not(HasSubstr("missing")));
  EXPECT_THAT(merged.out, testing::Not(HasSubstr("may be missing")));
  EXPECT_EQ(read_manifest(results("all")).status, "complete");
}

TEST_F(MergeTest, RefusesWhatDoesNotBelongTogether) {
  const std::string first = run_shard(experiment(), "1/2");
  const Outcome twice = run({"merge", "--output", results("all"), first, first});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("both have cell"));
  const std::string other = run_shard(experiment("# changed\n"), "2/2");
  const Outcome changed = run({"merge", "--output", results("all"), first, other});
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.err, HasSubstr("they differ in the experiment"));
  EXPECT_EQ(run({"merge", first}).exit_code, 2);
}

TEST_F(MergeTest, LooksAtHowAndWhereEachShardRan) {
  const fs::path file = experiment();
  const std::string first = run_shard(file, "1/2");
  const std::string second = run_shard(file, "2/2");
  Manifest manifest = read_manifest(second);
  manifest.status = run_status::kInterrupted;
  write_manifest(second, manifest);
  run({"merge", "--output", results("all"), first, second});
  EXPECT_EQ(read_manifest(results("all")).status, run_status::kInterrupted);
  manifest.device.value().name = "another model";
  write_manifest(second, manifest);
  const Outcome refused = run({"merge", "--output", results("other"), first, second});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("they differ in the device model"));
  manifest.device = read_manifest(first).device;
  ++manifest.problems.at(0).problem.queries;  // of a file that has changed between the two
  write_manifest(second, manifest);
  EXPECT_THAT(run({"merge", "--output", results("other"), first, second}).err,
              HasSubstr("they differ in the problems"));
}

TEST_F(MergeTest, AShardIsResumedAsTheSameShard) {
  const fs::path file = experiment();
  const std::string first = run_shard(file, "1/2");
  EXPECT_EQ(run({"run", file, "--resume", first, "--shard", "1/2"}).exit_code, 0);
  const Outcome outcome = run({"run", file, "--resume", first, "--shard", "2/2"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the run was shard 1/2, not 2/2; give --shard 1/2"));
  const Outcome without = run({"run", file, "--resume", first});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("the run was shard 1/2, not 1/1; give --shard 1/2"));
}

TEST_F(MergeTest, LastsFromTheFirstBeginToTheLastEndAndKeepsCounters) {
  const fs::path file = experiment();
  const std::string first = run_shard(file, "1/2");
  const std::string second = run_shard(file, "2/2");
  const auto set_times = [](const std::string& shard, const char* started, const char* ended) {
    Manifest manifest = read_manifest(shard);
    manifest.started = started;
    manifest.ended = ended;
    write_manifest(shard, manifest);
  };
  set_times(first, "2024-06-07T12:00:00Z", "2024-06-07T15:00:00Z");
  set_times(second, "2024-06-07T11:00:00Z", "2024-06-07T14:00:00Z");
  KernelCounters counters;
  counters.problem = "three";
  counters.arm = "fixture";
  counters.mode = "warm";
  counters.part = kMainPart;
  add_counters(second, {counters});
  merge_runs({first, second}, results("all"));
  const Manifest merged = read_manifest(results("all"));
  EXPECT_EQ(merged.started, "2024-06-07T11:00:00Z");
  EXPECT_EQ(merged.ended, "2024-06-07T15:00:00Z");
  EXPECT_EQ(read_counters(results("all")).size(), 1U);
}

}  // namespace
}  // namespace msda::test
