// What a run stores stays whole and its own, whatever happens around it: other runs, closed pipes,
// full disks, killed processes.
#include <csignal>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files/read.hpp"
#include "results/record.hpp"
#include "runner/supervise/manifest.hpp"
#include "runner/supervise/run_records.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kShort = R"(
device: cpu
problems: [{name: one, queries: 3, channels: 4, levels: [[4, 4]]}]
arms: [fixture, {name: other, use: [{fixture: {flag: true}}]}]
measure: {noise_pair: false, processes: 1, blocks: 2, samples: 1, warmup: 0}
)";

/// Takes a second, and begins with a record.
constexpr const char* kLong = R"(
device: cpu
problems:
  - {name: short, queries: 3, channels: 4, levels: [[4, 4]]}
  - {name: long, queries: 4, channels: 4, levels: [[4, 4]]}
arms: [fixture, {name: slow, use: [{fixture: {milliseconds: 20}}]}]
measure: {noise_pair: false, processes: 1, blocks: 20, samples: 2, warmup: 0, timeout: 5 s, budget: 1 s}
)";

/// Waits for what is to come; false when it does not.
template <class Condition>
bool comes(const Condition& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class DurabilityTest : public testing::Test {
 protected:
  fs::path results() const { return directory_.path() / "results"; }
  bool has_records() const {
    const fs::path file = results() / kRecordsFile;
    return fs::exists(file) && !read_records(file).empty();
  }
  std::string status() const { return read_manifest(results()).status; }

  TemporaryDirectory directory_;
};

TEST_F(DurabilityTest, RunsOfOneSecondHaveDirectoriesOfTheirOwn) {
  directory_.write("x.yaml", kShort);
  const Outcome outcome = run_script(
      "for i in 1 2 3 4; do \"$msda\" run x.yaml >out-$i 2>&1 & done; wait", directory_.path());
  EXPECT_EQ(outcome.exit_code, 0);
  int runs = 0;
  for (const auto& entry : fs::directory_iterator(results() / "x")) {
    ++runs;
    EXPECT_EQ(read_manifest(entry).status, run_status::kComplete);
    EXPECT_FALSE(fs::exists(entry.path() / ".lock"));
    std::istringstream lines(read_text(entry.path() / kRecordsFile));
    int records = 0;
    for (std::string line; std::getline(lines, line);) ++records;
    EXPECT_EQ(records, 2);
  }
  EXPECT_EQ(runs, 4);
}

TEST_F(DurabilityTest, ARunThatGoesOnSharesItsDirectoryWithNoOther) {
  const fs::path file = directory_.write("x.yaml", kLong);
  Child child({"run", file, "--output", results()}, directory_.path());
  ASSERT_TRUE(comes([&] { return has_records(); }));
  for (const char* option : {"--resume", "--output"}) {
    const Outcome other = run({"run", file, option, results()});
    EXPECT_EQ(other.exit_code, 2);
    EXPECT_THAT(other.err, HasSubstr("still goes on"));
    EXPECT_THAT(other.err, HasSubstr("process " + std::to_string(child.id())));
  }
  EXPECT_EQ(child.wait().exit_code, 0);
  EXPECT_EQ(read_records(results() / kRecordsFile).size(), 4U);
}

TEST_F(DurabilityTest, ADirectoryThatWasLeftEmptyGoesAwayAgain) {
  const fs::path file = directory_.write("x.yaml", kShort);
  const Outcome outcome = run({"run", file, "--output", results() / "a" / "b", "--resume", "x"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(run({"run", file, "--resume", results()}).exit_code, 2);
  EXPECT_FALSE(fs::exists(results()));
}

TEST_F(DurabilityTest, ARunGoesOnWithTheSamePluginsAlone) {
  const fs::path file = directory_.write("x.yaml", kShort);
  const fs::path plugins = directory_.path() / "plugins";
  fs::copy(fixture_directory(), plugins);
  ASSERT_EQ(run({"run", file, "--output", results(), "--plugin-dir", plugins}).exit_code, 0);
  // Bytes behind its end make another file of a library, not another library.
  std::ofstream(plugins / "fixture.so", std::ios::app) << "changed";
  const Outcome outcome = run({"run", file, "--resume", results(), "--plugin-dir", plugins});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("differs from what is here in the plugin 'fixture'"));
}

TEST_F(DurabilityTest, ARunGoesOnWithTheSameProgramAlone) {
  const fs::path file = directory_.write("x.yaml", kShort);
  ASSERT_EQ(run({"run", file, "--output", results()}).exit_code, 0);
  const Manifest first = read_manifest(results());
  const auto refusal_of = [&](const Manifest& manifest) {
    write_manifest(results(), manifest);
    const Outcome outcome = run({"run", file, "--resume", results()});
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  Manifest other = first;
  other.git_state = "another";
  EXPECT_THAT(refusal_of(other), HasSubstr("differs from what is here in the program's sources"));
  other = first;
  other.program_hash = "another";
  EXPECT_THAT(refusal_of(other), HasSubstr("another program than the one that began the run"));
}

TEST_F(DurabilityTest, TheTimeOfEarlierAttemptsIsKept) {
  const fs::path file = directory_.write("x.yaml", kShort);
  ASSERT_EQ(run({"run", file, "--output", results()}).exit_code, 0);
  const double before = read_manifest(results()).time.value().busy_seconds;
  EXPECT_GT(before, 0);
  ASSERT_EQ(run({"run", file, "--resume", results()}).exit_code, 0) << "with nothing to do";
  EXPECT_GE(read_manifest(results()).time.value().busy_seconds, before);
}

TEST_F(DurabilityTest, AFileWhoseNameLeadsElsewhereNeedsAnotherName) {
  const fs::path file = directory_.write("...yaml", kShort);  // would be called ".."
  const Outcome outcome = run_script("\"$msda\" run ./...yaml", directory_.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("give it a name"));
}

class ClosedStreams : public DurabilityTest, public testing::WithParamInterface<const char*> {};

TEST_P(ClosedStreams, DoNotStopARun) {
  directory_.write("x.yaml", kShort);
  const std::string script = "\"$msda\" run x.yaml --output results ";
  const Outcome outcome =
      run_script(script + GetParam() + "; exit ${PIPESTATUS[0]}", directory_.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(status(), run_status::kComplete);
  EXPECT_EQ(read_records(results() / kRecordsFile).size(), 2U);
  EXPECT_TRUE(fs::exists(results() / "report.json"));
}

INSTANTIATE_TEST_SUITE_P(Each, ClosedStreams,
                         testing::Values("| head -c 0", "2>&1 >/dev/null | head -c 0",
                                         ">&- 2>&- <&-"));

TEST_F(DurabilityTest, AnOutputThatIsFullIsNoSuccess) {
  const Outcome outcome = run_script("\"$msda\" list >/dev/full", directory_.path());
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("No space left on device"));
}

TEST_F(DurabilityTest, VerdictsThatNobodyCanReadAreNoSuccess) {
  const Outcome outcome =
      run_script("\"$msda\" verify fixture --device cpu >/dev/full", directory_.path());
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("No space left on device"));
}

TEST_F(DurabilityTest, ARunWhoseOutputIsFullIsKeptAndNoSuccess) {
  directory_.write("x.yaml", kShort);
  const Outcome outcome =
      run_script("\"$msda\" run x.yaml --output results >/dev/full", directory_.path());
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err,
              HasSubstr("msda: cannot write the standard output: No space left on device"));
  EXPECT_EQ(status(), run_status::kComplete);
  EXPECT_EQ(read_records(results() / kRecordsFile).size(), 2U);
  EXPECT_TRUE(fs::exists(results() / "report.json"));
}

TEST_F(DurabilityTest, AFullDiskIsNamedAndTheRunCanGoOn) {
  const fs::path file = directory_.write("x.yaml", R"(
device: cpu
problems:
  - {name: one, queries: 3, channels: 4, levels: [[4, 4]]}
  - {name: two, queries: 4, channels: 4, levels: [[4, 4]]}
arms: [fixture, {name: other, use: [{fixture: {flag: true}}]}]
measure: {noise_pair: false, processes: 1, blocks: 20, samples: 100, warmup: 0}
)");
  // As on a full disk: no file grows beyond 64 KiB. The manifest is smaller, four records are not.
  const Outcome outcome =
      run_script("ulimit -f 64; \"$msda\" run x.yaml --output results", directory_.path());
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("msda: cannot write results/records.jsonl: File too large"));
  EXPECT_THAT(outcome.err, HasSubstr("msda run x.yaml --resume results"));
  EXPECT_EQ(status(), run_status::kStopped);
  const Outcome resumed = run({"run", file, "--resume", results()});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(read_records(results() / kRecordsFile).size(), 4U);
}

TEST_F(DurabilityTest, AStackThatIsTooSmallGrowsOrIsNamed) {
  const Outcome soft = run_script("ulimit -Ss 64; \"$msda\" list --operators", directory_.path());
  EXPECT_EQ(soft.exit_code, 0) << soft.err;
  const Outcome hard = run_script("ulimit -s 64; \"$msda\" list --operators", directory_.path());
  EXPECT_EQ(hard.exit_code, 3);
  EXPECT_THAT(hard.err, HasSubstr("a stack of 65536 bytes is too small"));
}

/// Child processes of one, each of its threads asked.
std::vector<int> children_of(int process) {
  std::vector<int> children;
  const fs::path tasks = fs::path("/proc") / std::to_string(process) / "task";
  std::error_code gone;
  for (const auto& task : fs::directory_iterator(tasks, gone)) {
    std::ifstream stream(task.path() / "children");
    for (int child = 0; stream >> child;) children.push_back(child);
  }
  return children;
}

TEST_F(DurabilityTest, ACellWhoseWorkerSomebodyKillsIsInterruptedAndRunsAgainOnResume) {
  const fs::path file = directory_.write("x.yaml", kLong);
  Child child({"run", file, "--output", results()}, directory_.path());
  ASSERT_TRUE(comes([&] {
    return read_text(directory_.path() / "stderr.txt").find("long") != std::string::npos;
  }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const std::vector<int> workers = children_of(child.id());
  ASSERT_EQ(workers.size(), 1U);
  ::kill(workers.front(), SIGKILL);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("--resume " + results().string()));
  EXPECT_EQ(status(), run_status::kInterrupted);
  int interrupted = 0;
  for (const Record& record : read_records(results() / kRecordsFile)) {
    if (record.status != CellStatus::kInterrupted) continue;
    ++interrupted;
    EXPECT_THAT(record.reason, HasSubstr("something outside the run killed the worker"));
    EXPECT_THAT(record.samples, IsEmpty());
    EXPECT_THAT(record.processes, IsEmpty());
  }
  EXPECT_EQ(interrupted, 1);
  const Outcome resumed = run({"run", file, "--resume", results()});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(status(), run_status::kComplete);
  for (const Record& record : read_records(results() / kRecordsFile)) {
    EXPECT_EQ(record.status, CellStatus::kOk) << record.reason;
    EXPECT_THAT(record.samples, Not(IsEmpty()));
  }
}

/// Of a cell whose second process was killed the first one stays, and the second is made up for.
TEST_F(DurabilityTest, AnInterruptedCellGoesOnWithWhatItsProcessesLeft) {
  Record record;
  record.cell = "p/a/warm";
  record.problem = "p";
  record.arm = "a";
  record.status = CellStatus::kInterrupted;
  record.reason = "killed";
  record.processes.push_back({0, {}, 1.0, {}, {}});
  Record without = record;
  without.cell = "p/b/warm";
  without.arm = "b";
  without.processes.clear();
  write_records(directory_.path() / kRecordsFile, {record, without});
  const RunRecords records(directory_.path() / kRecordsFile);
  const std::vector<Record> left = records.of("p", record.mode);
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].arm, "a");
  EXPECT_EQ(left[0].status, CellStatus::kOk);
  EXPECT_EQ(left[0].reason, "");
}

/// A compiler that starts another process, as compilers do, and does not come to an end.
class LostCompiler : public DurabilityTest, public testing::WithParamInterface<int> {
 protected:
  LostCompiler() {
    compiler_ = directory_.write("compiler",
                                 "#!/bin/sh\n"
                                 "if [ \"$1\" = -dumpfullversion ]; then echo 12; exit; fi\n"
                                 "sleep 1000 &\n"
                                 "echo $! >" +
                                     (directory_.path() / "started").string() + "\nwait\n");
    fs::permissions(compiler_, fs::perms::owner_all);
  }

  /// The process that the compiler started, when it has.
  std::optional<int> started() const {
    std::ifstream stream(directory_.path() / "started");
    int process = 0;
    return stream >> process ? std::optional(process) : std::nullopt;
  }

  fs::path compiler_;
};

TEST_P(LostCompiler, EndsWithItsWorker) {
  const fs::path file = directory_.write("x.yaml", R"(
device: simt
problems: [{name: tiny, queries: 5, channels: 8, points: 2, levels: [[3, 4]]}]
arms: [thread-per-channel]
measure: {timeout: 1 s}
)");
  Child child({"run", file, "--output", results()}, directory_.path(),
              {{"MSDA_CXX", compiler_}, {"MSDA_CACHE_DIR", directory_.path() / "cache"}});
  ASSERT_TRUE(comes([&] { return started().has_value(); }));
  if (GetParam() != 0) child.signal(GetParam());
  const int process = *started();
  EXPECT_TRUE(comes([&] { return ::kill(process, 0) != 0; }));
  child.signal(SIGKILL);
}

/// 0: nothing ends the run, its time-out ends the worker.
INSTANTIATE_TEST_SUITE_P(How, LostCompiler, testing::Values(0, SIGINT, SIGTERM, SIGKILL));

}  // namespace
}  // namespace msda::test
