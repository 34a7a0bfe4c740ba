// What a rule costs that goes on until intervals are narrow enough.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "statistics/statistics.hpp"
#include "studies/study.hpp"

namespace msda::study {
namespace {

/// What a run of a baseline and others leaves that adds processes, from `least` to twice as many,
/// until each ratio to the baseline is known to 1%.
std::vector<LogEstimate> with_stop_rule(Simulation& simulation, const World& world, int least,
                                        const std::vector<double>& log_times) {
  constexpr double kPrecision = 0.01;
  const auto arms = simulation.run(world, 2 * least, log_times);
  std::vector<LogEstimate> ratios;
  for (int processes = least; processes <= 2 * least; ++processes) {
    ratios.clear();
    double widest = 0;
    for (std::size_t arm = 1; arm < arms.size(); ++arm) {
      LogsByProcess logs = log_ratios(arms[0], arms[arm]);
      logs.erase(logs.lower_bound(processes), logs.end());
      ratios.push_back(mean_of(logs, {least}));
      const Interval interval = interval_95(ratios.back()).value();
      widest = std::max(widest, std::sqrt(interval.high / interval.low) - 1);
    }
    if (widest <= kPrecision) break;
  }
  return ratios;
}

constexpr std::array kDeviations{0.002, 0.005, 0.007, 0.01, 0.015, 0.02};

struct Stopped {
  double missed = 0;     ///< share of intervals that do not hold the truth
  double different = 0;  ///< share of A/A pairs that are called faster or slower
  double processes = 0;
};

/// `log_times` begins with the baseline's; all are 0, so that each ratio is an A/A pair.
Stopped stopped_pairs(const World& world, int least, std::size_t arms) {
  Simulation simulation(static_cast<std::uint64_t>(least) + 7);
  int missed = 0;
  int different = 0;
  int processes = 0;
  for (int e = 0; e < kExperiments; ++e) {
    for (const LogEstimate& ratio :
         with_stop_rule(simulation, world, least, std::vector<double>(arms, 0.0))) {
      const RatioEstimate pair = to_ratio(ratio);
      missed += pair.interval_95.value().contains(1) ? 0 : 1;
      const Difference verdict = classify(pair);
      const bool differs = verdict == Difference::kFaster || verdict == Difference::kSlower;
      different += differs ? 1 : 0;
      processes += ratio.replicates;
    }
  }
  return {average(missed, arms - 1), average(different, arms - 1), average(processes, arms - 1)};
}

// The standard error of a share of 5% over 2,000 experiments is 0.5%.
TEST(IntervalStudy, StopRule) {
  struct Plan {
    int least;
    std::size_t arms;
  };
  std::vector<std::vector<std::string>> rows;
  for (const double deviation : kDeviations) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(fmt::format("{:.1f}%", deviation * 100));
    for (const auto& [least, arms] : {Plan{3, 2}, Plan{5, 2}, Plan{5, 6}}) {
      World world;
      const Stopped found = stopped_pairs(as_loud_as(world, deviation), least, arms);
      row.push_back(fmt::format("{}, {} ({:.1f})", percent(found.missed), percent(found.different),
                                found.processes));
      EXPECT_LE(found.missed, 0.06) << deviation << ", from " << least << ", " << arms << " arms";
      EXPECT_LE(found.different, 0.06) << deviation << ", from " << least;
    }
  }
  print_table(
      "A/A pairs under the stop rule: intervals that exclude 1, pairs called different (mean "
      "number "
      "of processes)",
      {"deviation of a process", "3 to 6, a pair", "5 to 10, a pair", "5 to 10, five pairs"}, rows);
}

TEST(IntervalStudy, StopRuleInEveryWorld) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, world] : worlds()) {
    // With a deviation of processes it is the calm one.
    if (world.process_deviation == 0) continue;
    std::vector<std::string>& row = rows.emplace_back();
    row.emplace_back(name);
    for (const double deviation : {0.005, 0.01, 0.02}) {
      const Stopped found = stopped_pairs(as_loud_as(world, deviation), 5, 2);
      row.push_back(fmt::format("{}, {}", percent(found.missed), percent(found.different)));
      EXPECT_LE(found.different, 0.06) << name << ", " << deviation;
    }
  }
  print_table("The same from 5 to 10 processes in other worlds, by the deviation of a process",
              {"world", "0.5%", "1%", "2%"}, rows);
}

}  // namespace
}  // namespace msda::study
