// Whether the intervals of an ablation's effects hold the truth as often as they say.
#include <cmath>
#include <random>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "support/ablation_truth.hpp"
#include "support/simulated.hpp"

namespace msda {
namespace {

using namespace truth;

const Truth kTruth{{0.3, 0.1, -0.2}, {{{0, 1}, 0.15}}};

const std::vector<std::tuple<EffectKind, std::string, double>> kEffects{
    {EffectKind::kTotal, "all factors", 0.35}, {EffectKind::kAddOne, "b", 0.1},
    {EffectKind::kLeaveOneOut, "b", 0.25},     {EffectKind::kGap, "b", 0.15},
    {EffectKind::kMain, "a", 0.375},           {EffectKind::kInteraction, "a x b", 0.15},
    {EffectKind::kShapley, "c", -0.2}};

/// `next()` makes the records of another experiment. The standard error of a coverage of 95% over
/// 1,500 experiments is 0.6%.
template <class Next>
void expect_coverage(const Design& design, const Next& next) {
  constexpr int kRuns = 1500;
  std::vector<int> covered(kEffects.size(), 0);
  for (int run = 0; run < kRuns; ++run) {
    const Ablation found = analyse(design, next());
    for (std::size_t i = 0; i < kEffects.size(); ++i) {
      const auto& [kind, label, log_speedup] = kEffects[i];
      const Interval interval = effect(found, kind, label).ratio_95.value();
      covered[i] += interval.contains(std::exp(log_speedup)) ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < kEffects.size(); ++i) {
    const auto& [kind, label, unused] = kEffects[i];
    const double share = static_cast<double>(covered[i]) / kRuns;
    EXPECT_GE(share, 0.93) << name_of(kind) << " " << label;
    EXPECT_LE(share, 0.97) << name_of(kind) << " " << label;
  }
}

TEST(AblationCoverage, IsNominalOverTheBlocksOfOneProcess) {
  std::mt19937 random(4);
  const Design design = full(3);
  expect_coverage(design, [&] { return records_from(design, kTruth, 0.03, random); });
}

/// Each arm is off in each process by an amount of its own, and the machine drifts.
std::vector<Record> records_of_processes(const Design& design, int processes,
                                         simulated::Simulation& simulation) {
  simulated::World world = simulated::harsh_world();
  world.blocks = 4;
  world.samples = 3;
  world.process_deviation = 0.02;
  std::vector<double> log_times;
  for (const DesignPoint& point : design.points) {
    log_times.push_back(-kTruth.log_speed(point.levels));
  }
  auto arms = simulation.run(world, processes, log_times);
  std::vector<Record> records;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    Record& record = records.emplace_back();
    record.problem = "p";
    record.arm = design.points[i].arm;
    record.cell = "p/" + record.arm + "/warm";
    record.status = CellStatus::kOk;
    record.baseline = record.arm == "base";
    record.samples = std::move(arms[i]);
  }
  return records;
}

class OverProcesses : public testing::TestWithParam<int> {};

TEST_P(OverProcesses, CoverageIsNominal) {
  simulated::Simulation simulation(17);
  const Design design = full(3);
  expect_coverage(design, [&] { return records_of_processes(design, GetParam(), simulation); });
}

INSTANTIATE_TEST_SUITE_P(AblationCoverage, OverProcesses, testing::Values(3, 5, 8));

}  // namespace
}  // namespace msda
