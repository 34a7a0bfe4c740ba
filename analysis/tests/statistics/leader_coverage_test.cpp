// How often equal arms are told apart: by the arm that is named the fastest, and one by one.
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "statistics/leader.hpp"
#include "support/simulated.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using simulated::Simulation;
using simulated::World;

/// Five processes of a baseline and others, whose log times are given.
Table table_of(Simulation& simulation, const World& world, const std::vector<double>& log_times) {
  auto arms = simulation.run(world, 5, log_times);
  std::vector<Record> records;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    records.push_back(synthetic::record(fmt::format("arm-{}", i), std::move(arms[i])));
    records.back().baseline = i == 0;
  }
  return make_tables(std::move(records), {}).front();
}

/// Few blocks and samples, so that thousands can be simulated; processes so far apart that the
/// threshold of equivalence saves nobody.
World loud() {
  World world;
  world.blocks = 3;
  world.samples = 3;
  world.process_deviation = 0.05;
  return world;
}

World bimodal() {
  World world = loud();
  world.two_places = 0.1;
  return world;
}

World tailed() {
  World world = loud();
  world.process_tail = 3;
  return world;
}

struct Case {
  const char* name;
  World world;
  int arms;
};

void PrintTo(const Case& test, std::ostream* stream) {
  *stream << test.name << ", " << test.arms << " arms";
}

class EqualArms : public testing::TestWithParam<Case> {};

// 5%, and three standard errors of its estimate from so many experiments.
TEST_P(EqualArms, AreSeldomGivenALeader) {
  constexpr int kExperiments = 1000;
  constexpr double kMost = 0.05 + 3 * 0.0069;
  const auto& [name, world, arms] = GetParam();
  Simulation simulation(29);
  int led = 0;
  for (int e = 0; e < kExperiments; ++e) {
    const Table table = table_of(simulation, world, std::vector<double>(arms, 0.0));
    led += find_leader(table).value().standing != Standing::kNone ? 1 : 0;
  }
  EXPECT_LE(led, kMost * kExperiments);
}

INSTANTIATE_TEST_SUITE_P(
    Leader, EqualArms,
    testing::Values(Case{"loud", loud(), 2}, Case{"loud", loud(), 3}, Case{"loud", loud(), 20},
                    Case{"tailed", tailed(), 2}, Case{"tailed", tailed(), 20},
                    Case{"bimodal", bimodal(), 2}, Case{"bimodal", bimodal(), 20}),
    [](const auto& info) { return fmt::format("{}{}", info.param.name, info.param.arms); });

// All but the baseline are twice as fast: one of them has the best estimate, none is the fastest.
TEST(EqualWinners, ShareTheFirstPlace) {
  constexpr int kExperiments = 500;
  Simulation simulation(31);
  std::vector<double> log_times(20, -std::log(2.0));
  log_times[0] = 0;
  int sole = 0;
  int shared = 0;
  int covered = 0;
  for (int e = 0; e < kExperiments; ++e) {
    const Table table = table_of(simulation, loud(), log_times);
    const Leader leader = find_leader(table).value();
    sole += leader.standing == Standing::kFastest ? 1 : 0;
    shared += leader.standing == Standing::kShared ? 1 : 0;
    covered += leader.over_baseline.value().interval_95.value().contains(2) ? 1 : 0;
  }
  EXPECT_LE(sole, 0.07 * kExperiments);
  EXPECT_GE(shared, 0.9 * kExperiments);
  // The best of 19 estimates is too good; the interval knows.
  EXPECT_GE(covered, 0.93 * kExperiments);
}

// One arm ahead of 18 equal ones by eight deviations of a process.
TEST(ATrueWinner, IsFoundWithAMarginThatHolds) {
  constexpr int kExperiments = 500;
  Simulation simulation(37);
  World world = loud();
  world.process_deviation = 0.01;
  std::vector<double> log_times(20, -0.2);
  log_times[0] = 0;
  log_times[7] = -0.28;
  int found = 0;
  int held = 0;
  for (int e = 0; e < kExperiments; ++e) {
    const Table table = table_of(simulation, world, log_times);
    const Leader leader = find_leader(table).value();
    const bool is_it =
        leader.standing == Standing::kFastest && table.rows[leader.best].record.arm == "arm-7";
    found += is_it ? 1 : 0;
    held += is_it && leader.margin <= std::exp(0.08) ? 1 : 0;
  }
  EXPECT_GE(found, 0.9 * kExperiments);
  EXPECT_GE(held, 0.95 * found);
}

}  // namespace
}  // namespace msda
