// `msda tune` from YAML to winners, with a kernel that does as it is told.
#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/record.hpp"
#include "results/run_ranges.hpp"
#include "results/search_log.hpp"
#include "runner/experiment/winners.hpp"
#include "runner/supervise/manifest.hpp"
#include "support/support.hpp"
#include "tune/tuning.hpp"

namespace msda::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Each;
using testing::Field;
using testing::Gt;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Lt;
using testing::Not;
using testing::SizeIs;

/// One search for all cases that look at what it leaves.
class ASearch : public testing::Test {
 protected:
  struct Left {
    TemporaryDirectory directory;
    Outcome outcome;

    Left() {
      outcome = run({"tune", directory.write("x.yaml", kSearch), "--output",
                     directory.path() / "results", "--winners", directory.path() / "winners.yaml"},
                    told_program());
    }
  };

  void SetUp() override { ASSERT_EQ(outcome().exit_code, 0) << outcome().err; }

  static const Left& left() {
    static const Left kLeft;
    return kLeft;
  }
  static const Outcome& outcome() { return left().outcome; }
  static fs::path results() { return left().directory.path() / "results"; }
  static std::vector<Winner> saved() {
    std::vector<std::string> notes;
    return read_winners(left().directory.path() / "winners.yaml", fixture_registry(), notes);
  }
};

TEST_F(ASearch, FindsAndConfirmsTheFastestWhateverOthersDo) {
  EXPECT_THAT(outcome().out, HasSubstr("confirmed"));
  EXPECT_THAT(outcome().err, HasSubstr("confirm the finalists"));

  const std::vector<Winner> found = saved();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].baseline, "slow");
  EXPECT_GT(found[0].gain, 1.5);
  EXPECT_GT(found[0].gain_low, 1.0);
  EXPECT_GT(found[0].searched_gain, 1.5);
  EXPECT_EQ(std::get<double>(found[0].uses.at(0).parameters.at("milliseconds")), 1.0);
  EXPECT_EQ(std::get<std::string>(found[0].uses.at(0).parameters.at("behaviour")), "good");
  EXPECT_THAT(found[0].command, HasSubstr("msda tune"));
  EXPECT_EQ(found[0].error, 1e-5) << "what fp32 allows";

  const SearchEntry searched = read_manifest(results()).searches.at(0);
  EXPECT_EQ(searched.points, 12U);
  EXPECT_EQ(searched.left, 8U);
  EXPECT_EQ(searched.measured, 3U);
  EXPECT_EQ(searched.failed, 5U);
  EXPECT_TRUE(searched.whole);
}

TEST_F(ASearch, KeepsItselfApartFromTheConfirmationsRecords) {
  const std::vector<Record> records = read_records(results() / kRecordsFile);
  EXPECT_THAT(records, SizeIs(1 + 3 + 1)) << "baseline, finalists, A/A pair";
  EXPECT_THAT(records, Each(Field(&Record::processes, SizeIs(3))));
  const std::vector<SearchTrial> trials = read_search(results() / kSearchFile);
  ASSERT_GE(trials.size(), 3U);
  for (std::size_t i = 0; i < trials.size(); ++i) EXPECT_EQ(trials[i].number, static_cast<int>(i));
  EXPECT_EQ(trials.back().stage, "halve");
}

TEST_F(ASearch, LeavesWhenItDidWhat) {
  const std::vector<RunRange> ranges = read_ranges(results() / kRangesFile);
  ASSERT_FALSE(ranges.empty());
  std::set<std::string> phases;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    phases.insert(ranges[i].phase);
    if (i > 0) {
      EXPECT_GE(ranges[i].begin, ranges[i - 1].end - 1e-3) << "lines overlap";
    }
  }
  EXPECT_THAT(phases, IsSupersetOf({"verify", "measure"}));
  const auto timeline =
      nlohmann::json::parse(run({"report", results(), "--format", "json"}).out).at("timeline");
  EXPECT_GT(timeline.at("seconds").get<double>(), 0);
}

/// The baseline goes wrong, so that there is nothing to confirm.
TEST_F(TuneTest, ASearchThatEndsEarlyLeavesWhenItDidWhatToo) {
  std::string search = kSearch;
  const std::string good = "milliseconds: 4";
  search.replace(search.find(good), good.size(), "behaviour: wrong");
  const fs::path file = directory_.write("x.yaml", search);
  EXPECT_NE(tune({file, "--output", results()}).exit_code, 0);
  EXPECT_FALSE(read_ranges(results() / kRangesFile).empty());
}

TEST_F(ASearch, IsReportedAsAnAblation) {
  const std::string tables = run({"report", results()}).out;
  EXPECT_THAT(tables, HasSubstr("Search: p, warm"));
  EXPECT_THAT(tables, HasSubstr("Factors of the search: p, warm"));
  EXPECT_THAT(tables, HasSubstr("kernel.milliseconds"));
  EXPECT_THAT(tables, HasSubstr("at the winner"));
  std::ifstream stream(results() / "report.json");
  const nlohmann::json report = nlohmann::json::parse(stream);
  const nlohmann::json& search = report.at("searches").at(0);
  EXPECT_EQ(search.at("finalists").at(0).at("verdict"), "confirmed");
  const nlohmann::json& factor = search.at("factors").at(1);
  EXPECT_EQ(factor.at("factor"), "kernel.milliseconds");
  // 2 ms was measured with everything else as the winner, of 1 ms, has it.
  const nlohmann::json& two = factor.at("levels").at(1);
  EXPECT_TRUE(two.at("measured"));
  EXPECT_THAT(two.at("at_the_winner").get<double>(), AllOf(Gt(1.9), Lt(2.1)));
}

TEST_F(TuneTest, CountsWithoutRunningOnADryRun) {
  const fs::path file = directory_.write("x.yaml", kSearch);
  const Outcome outcome = tune({file, "--dry-run", "--output", results()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("12 points"), HasSubstr("8 left"),
                                 HasSubstr("3 removed: fixture: as it was told"),
                                 HasSubstr("1 removed: excluded: kernel.milliseconds=2")));
  EXPECT_FALSE(fs::exists(results()));
}

TEST_F(TuneTest, ConfirmsInFewerProcessesThanPlannedWhereTheBudgetIsSpent) {
  std::string text = kSearch;
  const std::string planned = "processes: 3, most_processes: 3";
  text.replace(text.find(planned), planned.size(), "processes: 5, most_processes: 5");
  const Outcome outcome = run({"tune", directory_.write("x.yaml", text), "--output", results(),
                               "--winners", winners(), "--budget", "0.001 s"},
                              told_program());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::vector<Record> records = read_records(results() / kRecordsFile);
  ASSERT_GE(records.size(), 2U);
  EXPECT_THAT(records, Each(Field(&Record::processes, SizeIs(3))));
}

TEST_F(TuneTest, SaysSoWhenNothingIsFaster) {
  const fs::path file = directory_.write("x.yaml", R"(
device: cpu
problems: [{name: p, queries: 3, channels: 4, levels: [[4, 4]]}]
arms: [{name: fast, use: [{fixture: {milliseconds: 1}}]}]
space: {factors: {kernel: {fixture: {milliseconds: [3, 4]}}}}
measure: {processes: 2, most_processes: 2, blocks: 4, samples: 2, warmup: 0}
)");
  const Outcome outcome =
      run({"tune", file, "--output", results(), "--winners", winners()}, told_program());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Nothing is confirmed to be faster than fast"));
  const std::vector<Winner> found = saved();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].gain, 1.0);
  EXPECT_EQ(std::get<double>(found[0].uses.at(0).parameters.at("milliseconds")), 1.0);
}

TEST_F(TuneTest, SearchesAProblemInWords) {
  const fs::path file = directory_.write("x.yaml", kSearch);
  const Outcome outcome = tune(
      {file, "num_query=2", "channels=4", "levels=3x3", "num_points=1", "--output", results()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_THAT(saved(), SizeIs(1));
  EXPECT_EQ(saved()[0].problem.problem.queries, 2);
  EXPECT_EQ(tune({file, "num_quer=2", "levels=3x3"}).exit_code, 2);
  EXPECT_EQ(tune({file, "--problem", "q"}).exit_code, 2);
}

TEST_F(TuneTest, GoesOnAfterAnInterruptionWithTheTrialsThatHadEnded) {
  const fs::path file = directory_.write("x.yaml", R"(
device: cpu
problems:
  - {name: p, queries: 3, channels: 4, levels: [[4, 4]]}
  - {name: q, queries: 40, channels: 4, levels: [[4, 4]]}
arms: [{name: slow, use: [{fixture: {milliseconds: 6}}]}]
space: {factors: {kernel: {fixture: {milliseconds: [2, 3, 4, 5]}}}}
measure: {processes: 2, most_processes: 2, blocks: 8, samples: 2, warmup: 0}
)");
  Child child({"tune", file, "--output", results(), "--winners", winners()}, directory_.path());
  for (int i = 0; i < 3000 && read_search(results() / kSearchFile).empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  child.signal(SIGINT);
  const Outcome interrupted = child.wait();
  ASSERT_EQ(interrupted.exit_code, 130) << interrupted.err;
  EXPECT_THAT(interrupted.err, HasSubstr("--resume"));
  const std::size_t kept = read_search(results() / kSearchFile).size();
  ASSERT_GT(kept, 0U);

  EXPECT_EQ(tune({file, "--resume", results(), "--seed", "9"}).exit_code, 2) << "another search";
  const Outcome resumed = tune({file, "--resume", results()});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  std::map<std::string, int> next;
  for (const SearchTrial& trial : read_search(results() / kSearchFile)) {
    EXPECT_EQ(trial.number, next[trial.problem]++) << "no trial stands twice";
  }
  EXPECT_THAT(saved(), SizeIs(2));
}

TEST_F(TuneTest, IsSpreadOverShardsAndMerged) {
  const fs::path file = directory_.write("x.yaml", R"(
device: cpu
problems:
  - {name: p, queries: 3, channels: 4, levels: [[4, 4]]}
  - {name: q, queries: 40, channels: 4, levels: [[4, 4]]}
arms: [{name: slow, use: [{fixture: {milliseconds: 3}}]}]
space: {factors: {kernel: {fixture: {milliseconds: [1, 2]}}}}
measure: {processes: 2, most_processes: 2, blocks: 4, samples: 2, warmup: 0}
)");
  std::vector<std::string> merge{"merge", "--output", results()};
  for (const char* shard : {"1", "2"}) {
    const fs::path part = directory_.path() / shard;
    ASSERT_EQ(tune({file, "--shard", std::string(shard) + "/2", "--output", part}).exit_code, 0);
    merge.push_back(part);
  }
  ASSERT_EQ(run(merge).exit_code, 0);
  EXPECT_THAT(saved(), SizeIs(2));
  EXPECT_THAT(read_manifest(results()).searches, SizeIs(2));
  const Outcome report = run({"report", results()});
  EXPECT_THAT(report.out, AllOf(HasSubstr("Search: p, warm"), HasSubstr("Search: q, warm")));
}

TEST_F(TuneTest, NeedsASpaceAndADeviceThatMeasures) {
  const fs::path without = directory_.write("y.yaml", R"(
problems: [{name: p, queries: 3, levels: [[4, 4]]}]
arms: [fixture]
)");
  const Outcome no_space = tune({without, "--device", "cpu"});
  EXPECT_EQ(no_space.exit_code, 2);
  EXPECT_THAT(no_space.err, HasSubstr("has no 'space' to search"));
}

TEST_F(TuneTest, FailsOnlyTheProblemWhoseBaselineFails) {
  const fs::path file = directory_.write("x.yaml", R"(
device: cpu
problems: [{name: p, queries: 3, channels: 4, levels: [[4, 4]]}]
arms: [{name: broken, use: [{fixture: {behaviour: wrong}}]}]
space: {factors: {kernel: {fixture: {milliseconds: [1, 2]}}}}
measure: {processes: 1, blocks: 4, samples: 2, warmup: 0}
)");
  const Outcome outcome = tune({file, "--output", results()});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the baseline broken is wrong"));
  EXPECT_THAT(outcome.out, HasSubstr("The search could not be made: the baseline broken is wrong"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("yet"))) << "the run is complete";
}

TEST_F(TuneTest, SaysWhyWhereEveryCandidateFails) {
  const fs::path file = directory_.write("x.yaml", R"(
device: cpu
problems: [{name: p, queries: 3, channels: 4, levels: [[4, 4]]}]
arms: [fixture]
space: {factors: {kernel: {fixture: {milliseconds: [1, 2], behaviour: [crash, wrong]}}}}
measure: {processes: 1, blocks: 4, samples: 2, warmup: 0}
)");
  const Outcome outcome = tune({file, "--output", results()});
  EXPECT_EQ(outcome.exit_code, 1) << "as the help says of a problem without a winner";
  EXPECT_THAT(outcome.out, HasSubstr("No candidate has a time; all 4 failed, 2 of them like this"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("yet"))) << "the run is complete";
  EXPECT_THAT(run({"tune", "--help"}).out, HasSubstr("of its candidates failed"));
}

TEST_F(TuneTest, SaysThatNoPointIsLeftAndWhy) {
  const fs::path file = directory_.write("x.yaml", R"(
device: cpu
problems: [{name: p, queries: 3, channels: 4, levels: [[4, 4]]}]
arms: [fixture, {name: slow, use: [{fixture: {milliseconds: 1}}]}]
space: {factors: {kernel: {fixture: {milliseconds: [3, 4], behaviour: [unsupported]}}}}
measure: {processes: 1, blocks: 4, samples: 2, warmup: 0}
)");
  const Outcome outcome = tune({file, "--output", results()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("No point of the space is left to try:\nspace     2 points\n"));
  EXPECT_THAT(outcome.out, HasSubstr("No point of the space is left to try, of 2: 2 removed: "
                                     "fixture: as it was told"));
  EXPECT_THAT(tune({file, "--dry-run"}).out, HasSubstr("no point is left"));
}

TEST_F(TuneTest, NamesTheOptionWhoseValueIsWrong) {
  const fs::path file = directory_.write("x.yaml", kSearch);
  EXPECT_THAT(tune({file, "--budget", "nope"}).err,
              HasSubstr("tune: --budget must be a duration such as '2 min', not 'nope'"));
  EXPECT_THAT(tune({file, "--budget", "0 s"}).err,
              HasSubstr("tune: --budget must be a duration such as '2 min', more than zero and at "
                        "most a year, not '0 s'"));
  const Outcome negative = tune({file, "--seed", "-1"});
  EXPECT_EQ(negative.exit_code, 2);
  EXPECT_THAT(negative.err, HasSubstr("tune: --seed must be an integer of 0 or more, not '-1'"));
}

TEST_F(TuneTest, SaysOnADryRunToOfAModeThatIsNotThere) {
  const fs::path file = directory_.write("x.yaml", kSearch);
  constexpr const char* kReason =
      "p cannot be searched in mode graph on cpu: a CPU has no graphs to launch";
  const Outcome dry = tune({file, "mode=graph", "--dry-run"});
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.out, AllOf(HasSubstr(kReason), Not(HasSubstr("left"))));
  const Outcome outcome = tune({file, "mode=graph", "--output", results()});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(kReason));
}

TEST_F(TuneTest, WritesCommandsAsAShellTakesThemBack) {
  const fs::path file = directory_.write("x.yaml", kSearch);
  const fs::path place = directory_.path() / "it's here";
  const Outcome outcome = tune({file, "--budget", "20 s", "--output", place});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string quoted = "'" + directory_.path().string() + "/it'\\''s here'";
  EXPECT_THAT(outcome.out, HasSubstr("all tables: msda report " + quoted + "\n"));
  ASSERT_THAT(saved(), SizeIs(1));
  EXPECT_THAT(saved()[0].command, HasSubstr("--budget '20 s' --output " + quoted));
}

}  // namespace
}  // namespace msda::test
