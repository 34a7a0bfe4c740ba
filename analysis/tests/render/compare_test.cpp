#include "render/formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/error.hpp>

#include "support/synthetic.hpp"

namespace msda {
namespace {

using synthetic::record;
using synthetic::scaled;
using synthetic::steady;
using synthetic::without_time;
using testing::HasSubstr;

Report run(const std::vector<Record>& records) {
  return make_report(nlohmann::json::object(), records);
}

Change change_of(const Record& before, const Record& after, double threshold = 0.01) {
  return compare_runs(run({before}), run({after}), threshold).at(0).change;
}

TEST(CompareRuns, JudgesByTheInterval) {
  const auto blocks = scaled(steady(1e-3, 1, 10), 1, 0.002);
  const Record before = record("arm", blocks);
  EXPECT_EQ(change_of(before, record("arm", scaled(blocks, 1.1, 0.002))), Change::kWorse);
  EXPECT_EQ(change_of(before, record("arm", scaled(blocks, 0.9, 0.002))), Change::kBetter);
  EXPECT_EQ(change_of(before, record("arm", scaled(blocks, 1.001, 0.002))), Change::kEqual);
  EXPECT_EQ(change_of(before, record("arm", scaled(blocks, 1.1, 0.3))), Change::kUndecided);
  EXPECT_EQ(change_of(before, record("arm", scaled(blocks, 1.1, 0.002)), 0.2), Change::kEqual);
  EXPECT_EQ(change_of(before, record("arm", steady(1e-3, 1, 1))), Change::kUndecided);
}

// One cell alone is called worse with this noise; among forty it may be chance.
TEST(CompareRuns, VerdictsAreCorrectedForTheNumberOfCells) {
  const auto noisy = [](double seconds) { return scaled(steady(seconds, 1, 6), 1, 0.02); };
  std::vector<Record> before{record("arm", noisy(1e-3))};
  std::vector<Record> after{record("arm", noisy(1.045e-3))};
  EXPECT_EQ(compare_runs(run(before), run(after), 0.01).at(0).change, Change::kWorse);
  for (int i = 0; i < 39; ++i) {
    before.push_back(record("same " + std::to_string(i), noisy(1e-3)));
    after.push_back(before.back());
  }
  for (auto* records : {&before, &after}) {
    for (Record& r : *records) r.cell = "captured/" + r.arm + "/warm";
  }
  const auto changes = compare_runs(run(before), run(after), 0.01);
  EXPECT_EQ(changes.at(0).change, Change::kUndecided);
  EXPECT_GT(changes[0].ratio_95->high, 0.9);
  EXPECT_LT(changes[0].ratio_95->high, 0.99);
  EXPECT_THAT(to_text(changes, 0.01), HasSubstr("(Holm)"));
  // And so is that nothing has changed.
  EXPECT_EQ(compare_runs(run({before[0]}), run({before[0]}), 0.032).at(0).change, Change::kEqual);
  EXPECT_EQ(compare_runs(run(before), run(before), 0.032).at(0).change, Change::kUndecided);
}

TEST(CompareRuns, SaysWhenIntervalsAreOverBlocks) {
  const auto text = [](int processes) {
    const Report report = run({record("arm", scaled(steady(1e-3, processes), 1, 0.01))});
    return to_text(compare_runs(report, report, 0.01), 0.01);
  };
  EXPECT_THAT(text(1), HasSubstr("differences between processes are not in them"));
  EXPECT_THAT(text(2), testing::Not(HasSubstr("differences between processes")));
}

TEST(CompareRuns, TheRatioIsTheFirstTimeOverTheSecond) {
  const auto changes = compare_runs(run({record("arm", steady(2e-3, 3))}),
                                    run({record("arm", steady(1e-3, 3))}), 0.01);
  EXPECT_NEAR(*changes.at(0).ratio, 2, 1e-12);
  EXPECT_NEAR(changes[0].ratio_95->low, 2, 1e-9);
}

TEST(CompareRuns, ATimeThatWasLostIsWorse) {
  const Record timed = record("arm", steady(1e-3));
  EXPECT_EQ(change_of(timed, without_time("arm", CellStatus::kWrong, "off")), Change::kWorse);
  EXPECT_EQ(change_of(timed, without_time("arm", CellStatus::kSkipped, "no")),
            Change::kNotComparable);
  EXPECT_EQ(change_of(without_time("arm", CellStatus::kWrong, "off"), timed),
            Change::kNotComparable);
}

TEST(CompareRuns, CellsOfOneRunAloneAreNamed) {
  const auto changes =
      compare_runs(run({record("gone", steady(1e-3)), record("both", steady(1e-3))}),
                   run({record("new", steady(1e-3)), record("both", steady(1e-3))}), 0.01);
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].cell, "captured/gone/warm");
  EXPECT_EQ(changes[0].reason, "only in the first run");
  EXPECT_EQ(changes[2].reason, "only in the second run");
  EXPECT_THAT(to_text(changes, 0.01), HasSubstr("2 not comparable"));
}

TEST(CompareRuns, AProblemOfTheSameNameIsNotAlwaysTheSameProblem) {
  const auto changed = [](const nlohmann::json& first, const nlohmann::json& second) {
    const auto run_of = [](nlohmann::json problem) {
      problem.update({{"name", "captured"}, {"levels", {{4, 4}}}});
      return make_report({{"problems", {problem}}}, {record("arm", steady(1e-3, 3))});
    };
    return compare_runs(run_of(first), run_of(second), 0.01).at(0);
  };
  const nlohmann::json base = {{"queries", 8}, {"description", "B=1 Q=8"}};
  EXPECT_EQ(changed(base, base).change, Change::kEqual);
  nlohmann::json reseeded = base;
  reseeded["generation"] = {{"seed", 5}};
  EXPECT_EQ(changed(base, reseeded).change, Change::kEqual);
  const CellChange larger = changed(base, {{"queries", 9}, {"description", "B=1 Q=9"}});
  EXPECT_EQ(larger.change, Change::kNotComparable);
  EXPECT_EQ(larger.reason, "another problem of this name: B=1 Q=8, then B=1 Q=9");
  EXPECT_FALSE(larger.ratio);
  nlohmann::json clustered = base;
  clustered["generation"] = {{"distribution", "clustered"}};
  EXPECT_THAT(changed(base, clustered).reason, HasSubstr("the points are drawn in another way"));
  nlohmann::json gradients = base;
  gradients["operator"] = "backward";
  EXPECT_EQ(changed(base, gradients).change, Change::kNotComparable);
}

std::string refused(const Report& before, const Report& after) {
  try {
    compare_runs(before, after, 0.01);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "compared";
}

TEST(CompareRuns, RunsWithNothingInCommonAreRefused) {
  EXPECT_THAT(refused(run({record("gone", steady(1e-3))}), run({record("new", steady(1e-3))})),
              HasSubstr("no cell in common; the first has captured/gone/warm, ..."));
  EXPECT_THAT(refused(run({}), run({record("new", steady(1e-3))})), HasSubstr("has none"));
}

TEST(CompareRuns, RunsOfDifferentDevicesAreRefused) {
  const auto on = [](const nlohmann::json& manifest) {
    return make_report(manifest, {record("a", steady(1e-3))});
  };
  const Report gpu = on({{"device", {{"kind", "cuda"}, {"name", "GPU X"}}}});
  const Report other = on({{"device", {{"kind", "cuda"}, {"name", "GPU Y"}}}});
  EXPECT_THAT(refused(gpu, other), HasSubstr("the first run is of GPU X, the second of GPU Y"));
  EXPECT_EQ(refused(gpu, gpu), "compared");
  const nlohmann::json cpu{{"kind", "cpu"}, {"name", "cpu"}};
  EXPECT_THAT(
      refused(on({{"device", cpu}, {"cpu_model", "A"}}), on({{"device", cpu}, {"cpu_model", "B"}})),
      HasSubstr("of A, the second of B"));
}

TEST(CompareRuns, JUnitCountsAndEscapes) {
  const auto xml = to_junit(compare_runs(
      run({record("a", steady(1e-3)), record("b", steady(1e-3)), record("c<&\">", steady(1e-3))}),
      run({record("a", steady(2e-3)), record("b", steady(1e-3))}), 0.01));
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("c&lt;&amp;&quot;&gt;"));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"worse: 0.500x [0.500, 0.500]\"/>"));
}

TEST(CompareRuns, AreOverBlocksWhereOneOfThemHasASingleProcess) {
  // Two processes that differ by 4% say little, their blocks that 20% is more.
  std::vector<SampleBlock> before = steady(1e-3, 2, 10);
  for (SampleBlock& block : before) {
    for (double& seconds : block.seconds) seconds *= block.process == 0 ? 1 : 1.04;
  }
  const auto changes = compare_runs(run({record("arm", before)}),
                                    run({record("arm", steady(1.25e-3, 1, 10))}), 0.01);
  EXPECT_EQ(changes.at(0).replication, Replication::kBlocks);
  EXPECT_EQ(changes.at(0).change, Change::kWorse);
}

TEST(CompareRuns, WhatWasInterruptedIsNotWorse) {
  EXPECT_EQ(change_of(record("arm", steady(1e-3)),
                      without_time("arm", CellStatus::kInterrupted, "Ctrl-C")),
            Change::kNotComparable);
}

TEST(CompareRuns, ATestCaseOfJUnitHasTheTimeOfTheSecondRun) {
  EXPECT_THAT(to_junit(compare_runs(run({record("a", steady(1e-3))}),
                                    run({record("a", steady(2e-3))}), 0.01)),
              HasSubstr("time=\"0.0020000"));
}

}  // namespace
}  // namespace msda
