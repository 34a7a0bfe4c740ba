// What several trials of one search come to.
#include "tuning/landscape.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/synthetic.hpp"
#include "tuning/effects_model.hpp"

namespace msda {
namespace {

/// Two factors of three and two levels.
SearchSpace few_points() {
  return {{{"a", {"a0", "a1", "a2"}, {}, {}}, {"b", {"b0", "b1"}, {}, {}}}, {}};
}

SearchedCandidate candidate(std::uint64_t number, double error, std::vector<double> logs) {
  return {number, "c" + std::to_string(number), "", error, 1e-4, std::move(logs)};
}

SearchTrial trial(double seconds, std::vector<SearchedCandidate> candidates) {
  return {"p", TimingMode::kWarm, 0, "enumerate", seconds, 1e-4, std::move(candidates)};
}

SearchReport report_of(const std::vector<SearchTrial>& trials, nlohmann::json searched = {}) {
  nlohmann::json manifest = {{"space", to_json(few_points())}};
  if (!searched.is_null()) manifest["searches"] = nlohmann::json::array({std::move(searched)});
  return make_search_reports(manifest_from_json(manifest), trials, {}).at(0);
}

TEST(Landscape, HasTheLargestErrorAndTheMeanTimeOfACandidateInSeveralTrials) {
  const SearchReport report = report_of(
      {trial(10, {candidate(0, 1e-3, {-0.1})}), trial(15, {candidate(0, 1e-6, {-0.4, -0.4})})});
  ASSERT_EQ(report.tried.size(), 1U);
  EXPECT_EQ(report.tried[0].relative_l2, 1e-3);
  EXPECT_NEAR(report.tried[0].log_time, -0.3, 1e-12);
}

TEST(Landscape, TookAsLongAsItsLastTrialSays) {
  const SearchReport report =
      report_of({trial(10, {candidate(0, 0, {0})}), trial(15, {candidate(1, 0, {0})})});
  EXPECT_EQ(report.seconds, 15);
}

TEST(Landscape, OfALargeSpaceCountsPointsByTheShareOfASample) {
  const SearchReport report =
      report_of({}, {{"problem", "p"},
                     {"mode", "warm"},
                     {"baseline", "base"},
                     {"points", 6000},
                     {"looked_at", 60},
                     {"left", 24},
                     {"removed", {{{"reason", "too large"}, {"points", 36}}}},
                     {"finalists", nlohmann::json::array()}});
  EXPECT_EQ(report.left, 2400);
  EXPECT_EQ(report.removed.at(0).points, 3600);
}

// A measurement has luck that the model takes out of both.
TEST(FactorWorths, WhatIsPredictedIsComparedWithWhatIsPredictedOfTheReference) {
  std::vector<SearchedCandidate> tried;
  for (std::uint64_t i = 0; i < 5; ++i) {  // all but the last point
    const Levels levels = few_points().at(i);
    tried.push_back(candidate(i, 0, {i == 0 ? -0.15 : 0.05 * levels[0] + 0.02 * levels[1]}));
  }
  const SearchReport report = report_of({trial(10, tried)});
  std::vector<ModelPoint> points;
  for (const TriedCandidate& one : report.tried) {
    points.push_back({one.levels, one.log_time, 0.03 * 0.03 / one.blocks});
  }
  const EffectsModel model(points);
  const TriedCandidate& reference = report.tried.back();
  ASSERT_GT(std::abs(model.log_time(reference.levels) - reference.log_time), 1e-4);
  const auto factors = factor_worths(few_points(), report.tried, reference);
  bool any = false;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    for (std::size_t level = 0; level < factors[f].levels.size(); ++level) {
      const LevelWorth& worth = factors[f].levels[level];
      if (worth.measured || !worth.at_the_winner) continue;
      Levels changed = reference.levels;
      changed[f] = static_cast<int>(level);
      const double cost = model.log_time(changed) - model.log_time(reference.levels);
      EXPECT_NEAR(*worth.at_the_winner, std::exp(cost), 1e-9);
      any = true;
    }
  }
  EXPECT_TRUE(any);
}

// Of more points than the model takes it keeps the fastest half, and of the others some of all.
TEST(EffectsModel, OfManyPointsKnowsTheSlowOnesToo) {
  const SearchSpace large{{{"a", std::vector<std::string>(10, "x"), {}, {}},
                           {"b", std::vector<std::string>(10, "x"), {}, {}},
                           {"c", std::vector<std::string>(10, "x"), {}, {}}},
                          {}};
  std::vector<ModelPoint> points;
  for (std::uint64_t i = 0; i < large.size(); ++i) {
    const Levels levels = large.at(i);
    points.push_back({levels, 0.2 * levels[0] + 0.01 * levels[1], 1e-4});
  }
  ASSERT_GT(points.size(), EffectsModel::kMostPoints);
  EXPECT_NEAR(EffectsModel(points).log_time({9, 5, 5}), 1.85, 0.05);
}

}  // namespace
}  // namespace msda
