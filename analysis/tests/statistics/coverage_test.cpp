// Whether 95% intervals hold the truth in 95% of experiments, however the machine behaves.
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "statistics/estimate.hpp"
#include "statistics/statistics.hpp"
#include "support/simulated.hpp"

namespace msda {
namespace {

using simulated::harsh_world;
using simulated::Simulation;
using simulated::World;

constexpr int kExperiments = 2000;
constexpr double kTrueRatio = 1.3;

/// Small enough to simulate thousands of, with the same shares of every disturbance.
World quick(World world) {
  world.blocks = 6;
  world.samples = 5;
  return world;
}

struct Tally {
  double covered = 0;           ///< share of intervals with the true ratio inside
  double called_different = 0;  ///< share of A/A pairs that are called faster or slower
};

Tally tally(const World& world, int processes, std::uint64_t seed) {
  Simulation simulation(seed);
  Tally tally;
  for (int e = 0; e < kExperiments; ++e) {
    const auto arms = simulation.run(world, processes, {std::log(kTrueRatio), 0, 0});
    const RatioEstimate ratio = estimate_ratio(arms[0], arms[1]).value();
    tally.covered += ratio.interval_95.value().contains(kTrueRatio) ? 1.0 / kExperiments : 0;
    const RatioEstimate pair = estimate_ratio(arms[1], arms[2]).value();
    const Difference verdict = classify(pair);
    if (verdict == Difference::kFaster || verdict == Difference::kSlower) {
      tally.called_different += 1.0 / kExperiments;
    }
  }
  return tally;
}

struct Case {
  const char* name;
  World world;
  int processes;
  double called_different = 0.05;  ///< share of A/A pairs, at most
};

void PrintTo(const Case& test, std::ostream* stream) {
  *stream << test.name << ", " << test.processes << " processes";
}

class Coverage : public testing::TestWithParam<Case> {};

/// Of a share of 5% over 2,000 experiments.
constexpr double kStandardError = 0.005;

TEST_P(Coverage, IsNominal) {
  const auto& [name, world, processes, at_most] = GetParam();
  const Tally found = tally(quick(world), processes, 20240607);
  EXPECT_GE(found.covered, 0.93);
  EXPECT_LE(found.covered, 0.97);
  EXPECT_LE(found.called_different, at_most + kStandardError);
}

World with_drift() {
  World world;
  world.drift = 0.1;
  return world;
}

/// Each arm of a block 5% slower than the one before: no A/A pair is saved by the equivalence
/// threshold.
World with_slots() {
  World world;
  world.slot_effect = 0.05;
  return world;
}

/// So loud that no A/A pair is saved by the equivalence threshold: 5% are called different, within
/// the simulation's error.
constexpr double kLoudPairs = 0.06;
World loud() {
  World world = harsh_world();
  world.process_deviation = 0.05;
  return world;
}

World with_two_places() {
  World world;
  world.two_places = 0.01;
  return world;
}

World with_cuts() {
  World world;
  world.cut_share = 0.9;
  return world;
}

INSTANTIATE_TEST_SUITE_P(
    Worlds, Coverage,
    testing::Values(Case{"calm", {}, 3}, Case{"calm", {}, 5}, Case{"calm", {}, 8},
                    Case{"drift", with_drift(), 3}, Case{"drift", with_drift(), 5},
                    Case{"drift", with_drift(), 8}, Case{"harsh", harsh_world(), 3},
                    Case{"harsh", harsh_world(), 5}, Case{"harsh", harsh_world(), 8},
                    Case{"loud", loud(), 3, kLoudPairs}, Case{"loud", loud(), 5, kLoudPairs},
                    Case{"loud", loud(), 8, kLoudPairs}, Case{"bimodal", with_two_places(), 5},
                    Case{"cut", with_cuts(), 5}, Case{"slots", with_slots(), 5, kLoudPairs}),
    [](const auto& info) { return fmt::format("{}{}", info.param.name, info.param.processes); });

/// A place in a block that costs 5% is no difference of 3% between arms, nor hides one.
TEST(Slots, AnArmThatIsSlowerByThreePercentIsFoundSo) {
  const auto arms = Simulation(27).run(with_slots(), 10, {0, 0, std::log(1.03)});
  const RatioEstimate slower = estimate_ratio(arms[0], arms[2]).value();
  EXPECT_TRUE(slower.interval_95->contains(1 / 1.03));
  EXPECT_FALSE(slower.interval_95->contains(1));
  EXPECT_LT(slower.interval_95->high - slower.interval_95->low, 0.03);
  EXPECT_TRUE(estimate_ratio(arms[0], arms[1])->interval_95->contains(1));
}

TEST(CoverageOfOneProcess, IsNominalWithoutASpreadBetweenProcesses) {
  World world = quick(harsh_world());
  world.process_deviation = 0;
  world.blocks = 20;
  const Tally found = tally(world, 1, 7);
  EXPECT_GE(found.covered, 0.93);
  EXPECT_LE(found.covered, 0.97);
}

// Why the output says what its interval is over: one process cannot see the spread between
// processes.
TEST(CoverageOfOneProcess, LeavesOutTheSpreadBetweenProcesses) {
  World world = quick(harsh_world());
  world.blocks = 20;
  world.process_deviation = 0.01;
  EXPECT_LT(tally(world, 1, 7).covered, 0.5);
}

/// Of intervals with 1 inside, where an A/A pair gets processes from 5 to 10 until it is known to
/// 1%.
double coverage_under_stop_rule(const World& world, PlannedProcesses planned) {
  constexpr int kLeast = 5;
  Simulation simulation(19);
  double covered = 0;
  for (int e = 0; e < kExperiments; ++e) {
    const auto arms = simulation.run(world, 2 * kLeast, {0, 0});
    std::vector<SampleBlock> used;
    std::optional<Interval> interval;
    for (const SampleBlock& block : arms[0]) {
      used.push_back(block);
      const bool ends_process = block.block == world.blocks - 1;
      if (!ends_process || block.process + 1 < kLeast) continue;
      interval = estimate_ratio(used, arms[1], planned).value().interval_95;
      if (std::sqrt(interval->high / interval->low) <= 1.01) break;
    }
    covered += interval.value().contains(1) ? 1.0 / kExperiments : 0;
  }
  return covered;
}

// Processes that are 1.5% apart, where ending early is mostly luck.
TEST(CoverageUnderTheStopRule, IsNominal) {
  World world = quick({});
  world.process_deviation = 0.015;
  EXPECT_GE(coverage_under_stop_rule(world, {5}), 0.94);
  EXPECT_LT(coverage_under_stop_rule(world, {}), 0.94);  // as if nobody had looked
}

/// Share of experiments that call an effect of `log_ratio` different from none.
double power(const World& world, int processes, double log_ratio) {
  Simulation simulation(11);
  int found = 0;
  for (int e = 0; e < kExperiments; ++e) {
    const auto arms = simulation.run(world, processes, {log_ratio, 0});
    found += p_inside(estimate_log_ratio(arms[0], arms[1]).value(), {0, 0}) <= 0.05;
  }
  return static_cast<double>(found) / kExperiments;
}

// The deviation of a process' mean is known here: sqrt(2) process deviations, blocks aside.
TEST(SmallestDetectable, IsFoundInFourOfFiveExperiments) {
  World world = quick({});
  world.process_deviation = 0.01;
  world.block_deviation = 0;
  world.sample_deviation = 0;
  for (const int processes : {2, 3, 5, 8}) {
    const double error = world.process_deviation * std::sqrt(2.0 / processes);
    const auto smallest =
        smallest_detectable({0, error, processes - 1.0, Replication::kProcesses, processes});
    EXPECT_NEAR(power(world, processes, smallest.value()), 0.8, 0.03) << processes;
  }
}

// Mean -0.02 to 0.02 of a few normal observations each, all with the same truth.
TEST(AllSame, IsRefusedRarelyWhenTrue) {
  std::mt19937_64 random(5);
  for (const int replicates : {3, 5, 20}) {
    int refused = 0;
    for (int e = 0; e < kExperiments; ++e) {
      std::vector<LogEstimate> estimates;
      for (int problem = 0; problem < 4; ++problem) {
        std::normal_distribution<double> noise(0, 0.01 * (1 + problem));
        std::vector<double> values(static_cast<std::size_t>(replicates));
        for (double& value : values) value = noise(random);
        estimates.push_back(mean_of({{0, values}}));
      }
      refused += p_all_same(estimates) <= 0.05;
    }
    EXPECT_NEAR(static_cast<double>(refused) / kExperiments, 0.05, 0.025) << replicates;
  }
}

TEST(AllSame, IsRefusedWhenOneDiffers) {
  const LogEstimate zero{0, 0.01, 4, Replication::kProcesses, 5};
  const LogEstimate far{0.3, 0.01, 4, Replication::kProcesses, 5};
  EXPECT_LT(p_all_same({zero, zero, far}), 0.001);
  EXPECT_GT(p_all_same({zero, zero, zero}), 0.99);
}

}  // namespace
}  // namespace msda
