// Records made from a model with known effects, interactions and noise: the analysis has to find
// them again.
#include "ablation/ablation.hpp"
#include "ablation/contrast.hpp"

#include <cmath>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/fraction.hpp"
#include "render/figures/values.hpp"
#include "render/words/words.hpp"
#include "support/ablation_truth.hpp"

namespace msda {
namespace {

using namespace truth;
using testing::ElementsAre;
using testing::HasSubstr;

const Truth kTruth{{0.3, 0.1, -0.2, 0.0}, {{{0, 1}, 0.15}, {{2, 3}, -0.08}}};

TEST(Ablation, FindsEveryEffectOfAFullFactorialWithoutNoise) {
  std::mt19937 random(1);
  const Design design = full(4);
  const Ablation found = analyse(design, records_from(design, kTruth, 0, random));
  using enum EffectKind;
  EXPECT_NEAR(log_of(found, kTotal, "all factors"), 0.27, 1e-9);
  EXPECT_NEAR(log_of(found, kAddOne, "a"), 0.3, 1e-9);
  EXPECT_NEAR(log_of(found, kLeaveOneOut, "a"), 0.45, 1e-9);
  EXPECT_NEAR(log_of(found, kGap, "a"), 0.15, 1e-9);
  EXPECT_NEAR(log_of(found, kMain, "a"), 0.375, 1e-9);
  EXPECT_NEAR(log_of(found, kMain, "d"), -0.04, 1e-9);
  EXPECT_NEAR(log_of(found, kInteraction, "a x b"), 0.15, 1e-9);
  EXPECT_NEAR(log_of(found, kInteraction, "c x d"), -0.08, 1e-9);
  EXPECT_NEAR(log_of(found, kInteraction, "a x c"), 0, 1e-9);
  EXPECT_NEAR(log_of(found, kShapley, "a"), 0.375, 1e-9);
  EXPECT_NEAR(log_of(found, kShapley, "c"), -0.24, 1e-9);
}

TEST(Ablation, SharesSumToTheTotal) {
  std::mt19937 random(2);
  const Design design = full(4);
  const Ablation found = analyse(design, records_from(design, kTruth, 0.02, random));
  double logs = 0;
  double shares = 0;
  for (const Effect& share : family(found, EffectKind::kShapley).effects) {
    logs += std::log(*share.ratio);
    shares += *share.share;
  }
  EXPECT_NEAR(logs, log_of(found, EffectKind::kTotal, "all factors"), 1e-12);
  EXPECT_NEAR(shares, 1, 1e-12);
}

TEST(Ablation, VerdictsAndErrors) {
  std::mt19937 random(3);
  const Design design = full(4);
  const Truth truth{{0.3, 0.0, -0.2, 0.0}, {}};
  const Ablation found = analyse(design, records_from(design, truth, 0.002, random, 20));
  const auto verdict = [&](const char* label) {
    return effect(found, EffectKind::kMain, label).verdict;
  };
  EXPECT_EQ(verdict("a"), EffectVerdict::kBetter);
  EXPECT_EQ(verdict("b"), EffectVerdict::kEqual);
  EXPECT_EQ(verdict("c"), EffectVerdict::kWorse);
  EXPECT_NEAR(*effect(found, EffectKind::kMain, "a").error_ratio, 2, 1e-9);
  EXPECT_NEAR(*effect(found, EffectKind::kMain, "b").error_ratio, 1, 1e-9);
  const Ablation noisy = analyse(design, records_from(design, truth, 0.5, random, 3));
  EXPECT_EQ(effect(noisy, EffectKind::kAddOne, "b").verdict, EffectVerdict::kUndecided);
}

TEST(Ablation, AFractionOfResolutionFiveFindsMainEffectsAndInteractions) {
  std::mt19937 random(5);
  Design design = design_of(DesignKind::kFractional, 5, fraction_points(5, find_generators(5, 5)));
  const Truth truth{{0.3, 0.1, -0.2, 0.05, 0.4}, {{{0, 4}, 0.15}}};
  const Ablation found = analyse(design, records_from(design, truth, 0, random));
  EXPECT_NEAR(log_of(found, EffectKind::kMain, "e"), 0.475, 1e-9);
  EXPECT_NEAR(log_of(found, EffectKind::kInteraction, "a x e"), 0.15, 1e-9);
  EXPECT_NEAR(log_of(found, EffectKind::kShapley, "e"), 0.475, 1e-9);
  EXPECT_THAT(family(found, EffectKind::kShapley).remark, HasSubstr("model"));
}

TEST(Ablation, SaysWhatCannotBeEstimated) {
  std::mt19937 random(6);
  Design design = design_of(DesignKind::kFractional, 7, fraction_points(7, find_generators(7, 3)));
  const Truth truth{{0.3, 0.1, -0.2, 0.05, 0.4, 0, 0}, {}};
  const Ablation found = analyse(design, records_from(design, truth, 0, random));
  EXPECT_NEAR(log_of(found, EffectKind::kMain, "e"), 0.4, 1e-9);
  EXPECT_THAT(family(found, EffectKind::kMain).remark, HasSubstr("taking interactions for absent"));
  const Effect& mixed = effect(found, EffectKind::kInteraction, "a x b");
  EXPECT_EQ(mixed.verdict, EffectVerdict::kNotEstimable);
  EXPECT_FALSE(mixed.ratio);
  EXPECT_THAT(mixed.reason, HasSubstr("cannot tell it from"));
}

TEST(Ablation, LeastSquaresGoOnWithoutTheCellsThatCannotRun) {
  std::mt19937 random(7);
  Design design = full(4);
  const Levels gone{1, 0, 1, 0};
  std::erase_if(design.points, [&](const DesignPoint& point) { return point.levels == gone; });
  design.dropped.push_back({{arm_name(design.factors, gone), gone}, "a excludes c"});
  const Ablation found = analyse(design, records_from(design, kTruth, 0, random));
  EXPECT_NEAR(log_of(found, EffectKind::kMain, "a"), 0.375, 1e-9);
  EXPECT_NEAR(log_of(found, EffectKind::kInteraction, "c x d"), -0.08, 1e-9);
  EXPECT_THAT(family(found, EffectKind::kShapley).remark, HasSubstr("20 of 24 orders"));
}

TEST(Ablation, LaddersInRandomOrdersSampleTheShares) {
  std::mt19937 random(8);
  Design design = design_of(DesignKind::kLadder, 4, {});
  design.orders = ladder_orders(4, 11, 1);
  std::set<Levels> points;
  for (const auto& order : design.orders) {
    for (const Levels& levels : ladder_points(design.factors, order)) points.insert(levels);
  }
  for (const Levels& levels : points) {
    design.points.push_back({arm_name(design.factors, levels), levels});
  }
  const Ablation found = analyse(design, records_from(design, kTruth, 0.001, random));
  double shares = 0;
  for (const Effect& share : family(found, EffectKind::kShapley).effects) shares += *share.share;
  EXPECT_NEAR(shares, 1, 1e-9);
  const Effect& a = effect(found, EffectKind::kShapley, "a");
  EXPECT_LE(a.ratio_95->low, std::exp(0.375));
  EXPECT_GE(a.ratio_95->high, std::exp(0.375));
  EXPECT_NEAR(log_of(found, EffectKind::kLadderStep, "b"), 0.25, 0.01);
}

TEST(Ablation, AnArmWithoutATimeLeavesItsEffectsOutWithTheReason) {
  std::mt19937 random(9);
  const Design design = full(2);
  auto records = records_from(design, Truth{{0.3, 0.1}, {}}, 0.001, random);
  records[1].status = CellStatus::kWrong;
  const Ablation found = analyse(design, records);
  EXPECT_EQ(effect(found, EffectKind::kAddOne, "a").reason, "base+a: wrong");
  EXPECT_TRUE(effect(found, EffectKind::kAddOne, "b").ratio);
}

TEST(Ablation, ProblemsThatDifferAreTold) {
  std::mt19937 random(10);
  const Design design = full(2);
  auto records = records_from(design, Truth{{0.3, 0.1}, {}}, 0.005, random, 10, "p");
  for (Record& record : records_from(design, Truth{{-0.1, 0.1}, {}}, 0.005, random, 10, "q")) {
    records.push_back(std::move(record));
  }
  const Ablation found = analyse(design, records);
  ASSERT_FALSE(found.pooled.empty());
  const auto main =
      std::find_if(found.pooled.begin(), found.pooled.end(),
                   [](const PooledFamily& pooled) { return pooled.kind == EffectKind::kMain; });
  ASSERT_NE(main, found.pooled.end());
  EXPECT_THAT(main->problems, ElementsAre("p", "q"));
  EXPECT_TRUE(main->effects[0].heterogeneous);
  EXPECT_FALSE(main->effects[1].heterogeneous);
  EXPECT_NEAR(std::log(*main->effects[0].ratio), 0.1, 0.02);
  EXPECT_GT(main->effects[0].spread, 1.2);
  const Report report = make_report(nlohmann::json{{"ablation", to_json(design)}}, records);
  EXPECT_THAT(to_markdown(report), HasSubstr("Effects over problems: warm"));
  EXPECT_THAT(to_terminal(report, false), HasSubstr("depends on the problem"));
  EXPECT_THAT(effects_answer(found), testing::StartsWith("All factors together: 1.2"));
  EXPECT_THAT(effects_answer(found), HasSubstr("(mean of 2 problems, 95% interval 1.2"));
  EXPECT_THAT(effects_to_csv(*report.ablation), HasSubstr("q,warm,shapley,a,"));
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["ablation"]["tables"].size(), 2U);
}

TEST(Ablation, AHeatMapShowsWhichFactorHelpsWhere) {
  std::mt19937 random(12);
  const Design design = full(2);
  auto records = records_from(design, Truth{{0.3, 0.1}, {}}, 0, random, 3, "p");
  for (Record& record : records_from(design, Truth{{-0.1, 0.1}, {}}, 0, random, 3, "q")) {
    records.push_back(std::move(record));
  }
  const auto main = analyse(design, records).pooled.at(4);
  ASSERT_EQ(main.kind, EffectKind::kMain);
  const nlohmann::json values = problem_values(main);
  ASSERT_EQ(values.size(), 4U);
  EXPECT_EQ(values[1]["factor"], "a");
  EXPECT_EQ(values[1]["problem"], "q");
  EXPECT_NEAR(values[1]["ratio"], std::exp(-0.1), 1e-9);
}

TEST(EffectHeadline, SaysWhatPaysByHowMuchAndHowSure) {
  std::mt19937 random(3);
  const Design design = full(3);
  const Truth truth{{0.3, 0.0, -0.2}, {{{0, 2}, 0.1}}};
  const Ablation found = analyse(design, records_from(design, truth, 0.002, random, 20));
  const std::string text = headline(found.tables.at(0));
  EXPECT_THAT(text, testing::StartsWith("All factors together: 1.2"));
  EXPECT_THAT(text, HasSubstr("significantly faster (interval 1.2"));
  EXPECT_THAT(text, HasSubstr("20 blocks of one process). a pays most, averaged over the other "
                              "factors: 1.4"));
  EXPECT_THAT(text, HasSubstr("Costs time: c 0.86"));
  EXPECT_THAT(text, HasSubstr("No difference: b. "));
  EXPECT_THAT(text, HasSubstr("Most worth together: a x c 1.1"));
  EXPECT_THAT(text, testing::EndsWith("x."));
}

TEST(Effects, AreEqualByATestThatIsCorrectedForTheirNumber) {
  LogEstimate estimate;
  estimate.standard_error = 0.004;
  estimate.degrees_of_freedom = 10;
  std::vector<Effect> effects(3);
  judge({estimate, estimate, estimate}, effects);
  EXPECT_NEAR(effects[0].p_equal.value(), 3 * p_outside(estimate, log_range(kEquivalence)), 1e-12);
}

TEST(Holm, StepsDown) {
  EXPECT_THAT(holm({0.01, 0.04, 0.03, 0.005}),
              ElementsAre(testing::DoubleEq(0.03), testing::DoubleEq(0.06), testing::DoubleEq(0.06),
                          testing::DoubleEq(0.02)));
  EXPECT_THAT(holm({}), ElementsAre());
}

TEST(Regimes, RankFlipsAreMarked) {
  const Design design = full(2);
  std::mt19937 random(11);
  auto records = records_from(design, Truth{{0.3, 0.1}, {}}, 0.002, random);
  for (Record& record : records_from(design, Truth{{-0.3, 0.1}, {}}, 0.002, random)) {
    record.mode = TimingMode::kCold;
    records.push_back(std::move(record));
  }
  const Report report = make_report(nlohmann::json::object(), records);
  ASSERT_EQ(report.regimes.size(), 1U);
  const RegimeTable& table = report.regimes[0];
  EXPECT_THAT(table.modes, ElementsAre(TimingMode::kWarm, TimingMode::kCold));
  const auto row = std::find_if(table.rows.begin(), table.rows.end(),
                                [](const RegimeRow& r) { return r.arm == "base+a"; });
  ASSERT_NE(row, table.rows.end());
  EXPECT_EQ(row->cells[0].rank, 2);
  EXPECT_EQ(row->cells[1].rank, 4);
  EXPECT_THAT(row->flips_with, ElementsAre("base", "base+b"));
  EXPECT_THAT(to_markdown(report), HasSubstr("Regimes: p"));
}

// Without noise all of the spread is that of the orders, whose steps differ by the interactions.
TEST(Ablation, SharesFromFewOrdersHaveTheDegreesOfFreedomOfTheOrders) {
  std::mt19937 random(8);
  Design design = design_of(DesignKind::kLadder, 4, {});
  design.orders = ladder_orders(4, 4, 1);
  std::set<Levels> points;
  for (const auto& order : design.orders) {
    for (const Levels& levels : ladder_points(design.factors, order)) points.insert(levels);
  }
  for (const Levels& levels : points) {
    design.points.push_back({arm_name(design.factors, levels), levels});
  }
  const Ablation found = analyse(design, records_from(design, kTruth, 0, random));
  EXPECT_NEAR(effect(found, EffectKind::kShapley, "a").degrees_of_freedom, 4, 1e-6);
}

TEST(Ablation, ASingleOrderOrLevelsBesideOnHaveNoShares) {
  std::mt19937 random(13);
  Design ladder = design_of(DesignKind::kLadder, 3, {});
  ladder.orders = ladder_orders(3, 0, 1);
  for (const Levels& levels : ladder_points(ladder.factors, ladder.orders.front())) {
    ladder.points.push_back({arm_name(ladder.factors, levels), levels});
  }
  const Truth truth{{0.3, 0.1, -0.2}, {}};
  Ablation found = analyse(ladder, records_from(ladder, truth, 0.001, random));
  EXPECT_NE(find_family(found.tables.at(0), EffectKind::kLadderStep), nullptr);
  EXPECT_EQ(find_family(found.tables.at(0), EffectKind::kShapley), nullptr);
  Design list = design_of(DesignKind::kList, 2, {});
  list.factors[0] = {"a", {"off", "half", "whole"}, 2};
  for (const Levels& levels : full_points(list.factors)) {
    list.points.push_back({arm_name(list.factors, levels), levels});
  }
  found = analyse(list, records_from(list, {{0.3, 0.1}, {}}, 0.001, random));
  EXPECT_NE(find_family(found.tables.at(0), EffectKind::kMain), nullptr);
  EXPECT_EQ(find_family(found.tables.at(0), EffectKind::kShapley), nullptr);
}

TEST(Ablation, PartsOfATotalThatCountsAsEqualAreNoShares) {
  std::mt19937 random(14);
  const Design design = full(2);
  const Ablation found =
      analyse(design, records_from(design, {{0.004, 0.001}, {}}, 1e-5, random, 20));
  EXPECT_LT(effect(found, EffectKind::kTotal, "all factors").p_difference.value(), 0.01);
  EXPECT_FALSE(effect(found, EffectKind::kShapley, "a").share);
  EXPECT_THAT(family(found, EffectKind::kShapley).remark, HasSubstr("no shares"));
}

TEST(Ablation, AnOutputWithoutAnyErrorHasNoRatioOfErrors) {
  std::mt19937 random(15);
  const Design design = full(2);
  auto records = records_from(design, {{0.3, 0.1}, {}}, 0.001, random);
  records.front().outputs.front().relative_l2 = 0;
  const Ablation found = analyse(design, records);
  EXPECT_FALSE(effect(found, EffectKind::kAddOne, "a").error_ratio);
  EXPECT_TRUE(effect(found, EffectKind::kLeaveOneOut, "a").error_ratio);
}

TEST(EffectHeadline, NamesFirstWhatCostsMost) {
  std::mt19937 random(16);
  const Design design = full(3);
  const Ablation found =
      analyse(design, records_from(design, {{0.3, -0.1, -0.3}, {}}, 0.001, random, 20));
  EXPECT_THAT(headline(found.tables.at(0)),
              testing::ContainsRegex("Costs time: c 0\\.74[0-9]*x, b 0\\.90[0-9]*x"));
}

}  // namespace
}  // namespace msda
