// Effects over several problems, and arms in several modes.
#include "ablation/ablation.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "statistics/estimate.hpp"
#include "support/ablation_truth.hpp"

namespace msda {
namespace {

using namespace truth;

/// Of a design of two factors, at the problems p and q.
Ablation at_two_problems(const Truth& at_p, const Truth& at_q, double noise) {
  std::mt19937 random(10);
  const Design design = full(2);
  auto records = records_from(design, at_p, noise, random, 10, "p");
  for (Record& record : records_from(design, at_q, noise, random, 10, "q")) {
    records.push_back(std::move(record));
  }
  return analyse(design, records);
}

const PooledFamily& pooled(const Ablation& ablation, EffectKind kind) {
  for (const PooledFamily& family : ablation.pooled) {
    if (family.kind == kind) return family;
  }
  throw Error("no such family");
}

// Logs 0.3 and -0.1 have the standard deviation 0.4 / sqrt(2).
TEST(PooledEffects, SpreadAsASampleOfProblemsDoes) {
  const Ablation found = at_two_problems({{0.3, 0.1}, {}}, {{-0.1, 0.1}, {}}, 0);
  const PooledFamily& main = pooled(found, EffectKind::kMain);
  EXPECT_NEAR(main.effects.at(0).spread, std::exp(0.4 / std::sqrt(2.0)), 1e-9);
  EXPECT_NEAR(main.effects.at(1).spread, 1, 1e-9);
}

TEST(PooledEffects, DependOnTheProblemByATestThatIsCorrectedForTheirNumber) {
  const Ablation found = at_two_problems({{0.3, 0.1}, {}}, {{0.29, 0.1}, {}}, 0.01);
  std::vector<double> p_values;
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<LogEstimate> estimates;
    for (const AblationTable& table : found.tables) {
      const Effect& effect = find_family(table, EffectKind::kMain)->effects.at(i);
      estimates.push_back({std::log(*effect.ratio), effect.standard_error,
                           effect.degrees_of_freedom, effect.replication, effect.replicates});
    }
    p_values.push_back(p_all_same(estimates));
  }
  const std::vector<double> corrected = holm(p_values);
  const PooledFamily& main = pooled(found, EffectKind::kMain);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(main.effects.at(i).p_same.value(), corrected[i], 1e-12);
  }
}

TEST(Regimes, AnArmWithoutATimeTakesNoRank) {
  const Design design = full(2);
  std::mt19937 random(11);
  std::vector<Record> records;
  for (const TimingMode mode : {TimingMode::kWarm, TimingMode::kCold}) {
    for (Record& record : records_from(design, {{0.3, 0.1}, {}}, 0.002, random)) {
      record.mode = mode;
      if (record.arm == "base+b") record.status = CellStatus::kWrong;
      records.push_back(std::move(record));
    }
  }
  const Report report = make_report(nlohmann::json::object(), records);
  for (const RegimeRow& row : report.regimes.at(0).rows) {
    const int rank = row.arm == "base" ? 3 : row.arm == "base+a" ? 2 : row.arm == "base+b" ? 0 : 1;
    for (const RegimeCell& cell : row.cells) EXPECT_EQ(cell.rank, rank) << row.arm;
  }
}

}  // namespace
}  // namespace msda
