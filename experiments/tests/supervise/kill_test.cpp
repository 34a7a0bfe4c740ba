// A run that is killed again and again comes to the same results as one that is not.
#include <csignal>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/record.hpp"
#include "runner/supervise/manifest.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExperiment = R"(
device: cpu
problems:
  - {name: one, queries: 3, channels: 4, levels: [[4, 4]]}
  - {name: two, queries: 4, channels: 4, levels: [[4, 4]]}
arms:
  - fixture
  - {name: slow, use: [{fixture: {milliseconds: 1}}]}
  - {name: bad, use: [{fixture: {behaviour: crash, after: 3}}]}
measure: {noise_pair: false, processes: 3, most_processes: 3, modes: [warm, cold], blocks: 3, samples: 2, warmup: 0}
)";
constexpr int kKills = 50;
constexpr std::size_t kCells = 12;

/// What a record says that no later one may take back: the samples of each process.
using Kept = std::map<std::pair<std::string, int>, std::vector<double>>;

Kept kept(const fs::path& file) {
  Kept all;
  if (!fs::exists(file)) return all;
  for (const Record& record : read_records(file)) {
    for (const ProcessRun& process : record.processes) all[{record.cell, process.process}];
    for (const SampleBlock& block : record.samples) {
      auto& seconds = all[{record.cell, block.process}];
      seconds.insert(seconds.end(), block.seconds.begin(), block.seconds.end());
    }
  }
  return all;
}

void expect_contains(const Kept& later, const Kept& earlier) {
  for (const auto& [key, seconds] : earlier) {
    const auto found = later.find(key);
    ASSERT_NE(found, later.end()) << key.first << " of process " << key.second;
    EXPECT_EQ(found->second, seconds) << key.first << " of process " << key.second;
  }
}

/// Long enough for a run to get anywhere from its start to its end.
constexpr int kLongestMilliseconds = 250;

TEST(Kill, AtFiftyRandomMomentsLosesNothingThatHadEnded) {
  const TemporaryDirectory directory;
  const fs::path file = directory.write("x.yaml", kExperiment);
  std::mt19937 random(20240131);
  int kills = 0;
  int finished = 0;
  while (kills < kKills) {
    // One run after the other, each killed until it comes to its end.
    const fs::path results = directory.path() / fmt::format("results-{}", finished);
    Kept before;
    for (bool complete = false; !complete && kills < kKills;) {
      const bool begun = fs::exists(results / kManifestFile);
      Child child({"run", file, begun ? "--resume" : "--output", results}, directory.path());
      std::this_thread::sleep_for(std::chrono::milliseconds(
          std::uniform_int_distribution<int>(0, kLongestMilliseconds)(random)));
      child.signal(SIGKILL);
      ++kills;
      child.wait();
      const Kept after = kept(results / kRecordsFile);
      expect_contains(after, before);
      before = after;
      complete = fs::exists(results / kManifestFile) &&
                 read_manifest(results).status == run_status::kComplete;
    }
    ++finished;
  }
  const fs::path last = directory.path() / fmt::format("results-{}", finished - 1);
  const bool begun = fs::exists(last / kManifestFile);
  const Kept before = kept(last / kRecordsFile);
  const Outcome outcome = run({"run", file, begun ? "--resume" : "--output", last});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;  // the bad arm
  expect_contains(kept(last / kRecordsFile), before);
  const std::vector<Record> records = read_records(last / kRecordsFile);
  ASSERT_EQ(records.size(), kCells);
  for (const Record& record : records) {
    const bool bad = record.arm == "bad";
    EXPECT_EQ(record.status, bad ? CellStatus::kCrashed : CellStatus::kOk) << record.cell;
    EXPECT_GE(record.processes.size(), bad ? 1U : 3U) << record.cell;
  }
  EXPECT_EQ(read_manifest(last).status, run_status::kComplete);
}

}  // namespace
}  // namespace msda::test
