// The study behind the interval and the default number of processes, see docs/measurement.md: it
// prints the tables that stand there, and holds the chosen way against its bar.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "simulated.hpp"
#include "statistics/estimate.hpp"
#include "statistics/leader.hpp"
#include "statistics/statistics.hpp"
#include "synthetic.hpp"

namespace msda {
namespace {

using simulated::Simulation;
using simulated::World;

constexpr int kExperiments = 2000;
constexpr double kTruth = 0.26;  // log of a ratio of 1.3
constexpr std::array kCounts{2, 3, 4, 5, 8, 10};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum;
}

double t_quantile(double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), 0.975);
}

Interval around(double centre, double half) { return {centre - half, centre + half}; }

std::vector<double> means_of(const LogsByProcess& logs) {
  std::vector<double> means;
  for (const auto& [process, values] : logs) means.push_back(mean(values));
  return means;
}

Interval t_over(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  return around(mean(values),
                t_quantile(count - 1) * std::sqrt(squares(values) / (count - 1) / count));
}

// --- The ways to make an interval, in logs
// --------------------------------------------------------

Interval t_over_processes(const LogsByProcess& logs, std::mt19937_64&) {
  const LogEstimate estimate = mean_of(logs);
  const Interval interval = interval_95(estimate).value();
  return {std::log(interval.low), std::log(interval.high)};
}

Interval t_over_process_medians(const LogsByProcess& logs, std::mt19937_64&) {
  std::vector<double> medians;
  for (const auto& [process, values] : logs) medians.push_back(median(values));
  return t_over(medians);
}

Interval t_over_blocks(const LogsByProcess& logs, std::mt19937_64&) {
  std::vector<double> all;
  for (const auto& [process, values] : logs) all.insert(all.end(), values.begin(), values.end());
  return t_over(all);
}

/// Random intercepts of processes, fitted by REML, which has a closed form for equal counts: the
/// spread between processes cannot be estimated below that which the blocks explain.
Interval mixed_model(const LogsByProcess& logs, std::mt19937_64&) {
  const std::vector<double> means = means_of(logs);
  const auto processes = static_cast<double>(logs.size());
  const auto blocks = static_cast<double>(logs.begin()->second.size());
  double within = 0;
  for (const auto& [process, values] : logs) within += squares(values);
  const double within_degrees = processes * (blocks - 1);
  const double between = blocks * squares(means);
  if (between / (processes - 1) >= within / within_degrees) return t_over(means);
  const double degrees = within_degrees + processes - 1;
  const double pooled = (between + within) / degrees;
  return around(mean(means), t_quantile(degrees) * std::sqrt(pooled / (processes * blocks)));
}

constexpr std::size_t kResamples = 199;

template <class Draw>
std::vector<double> resampled(const Draw& draw) {
  std::vector<double> values;
  for (std::size_t i = 0; i < kResamples; ++i) values.push_back(draw());
  std::sort(values.begin(), values.end());
  return values;
}

/// Bounds of the middle 95%.
Interval percentiles(const std::vector<double>& sorted) {
  constexpr std::size_t kTail = kResamples / 40;
  return {sorted[kTail], sorted[sorted.size() - 1 - kTail]};
}

std::size_t pick(std::size_t count, std::mt19937_64& random) { return random() % count; }

Interval bootstrap_over_processes(const LogsByProcess& logs, std::mt19937_64& random) {
  const std::vector<double> means = means_of(logs);
  return percentiles(resampled([&] {
    double sum = 0;
    for (std::size_t i = 0; i < means.size(); ++i) sum += means[pick(means.size(), random)];
    return sum / static_cast<double>(means.size());
  }));
}

std::vector<double> hierarchical_draws(const LogsByProcess& logs, std::mt19937_64& random) {
  std::vector<const std::vector<double>*> processes;
  for (const auto& [process, values] : logs) processes.push_back(&values);
  return resampled([&] {
    double sum = 0;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      const std::vector<double>& blocks = *processes[pick(processes.size(), random)];
      double of_process = 0;
      for (std::size_t b = 0; b < blocks.size(); ++b)
        of_process += blocks[pick(blocks.size(), random)];
      sum += of_process / static_cast<double>(blocks.size());
    }
    return sum / static_cast<double>(processes.size());
  });
}

Interval hierarchical_bootstrap(const LogsByProcess& logs, std::mt19937_64& random) {
  return percentiles(hierarchical_draws(logs, random));
}

/// Widened by sqrt(n / (n - 1)), because resampling n values loses one degree of freedom, and by t
/// over the normal's quantile.
Interval corrected_bootstrap(const LogsByProcess& logs, std::mt19937_64& random) {
  const Interval plain = hierarchical_bootstrap(logs, random);
  const double centre = mean(means_of(logs));
  const auto count = static_cast<double>(logs.size());
  const double wider = std::sqrt(count / (count - 1)) * t_quantile(count - 1) /
                       boost::math::quantile(boost::math::normal(), 0.975);
  return {centre + (plain.low - centre) * wider, centre + (plain.high - centre) * wider};
}

struct Way {
  const char* name;
  Interval (*interval)(const LogsByProcess& logs, std::mt19937_64& random);
};

constexpr Way kWays[] = {{"t over means of processes", t_over_processes},
                         {"t over medians of processes", t_over_process_medians},
                         {"mixed model (REML)", mixed_model},
                         {"hierarchical bootstrap, widened", corrected_bootstrap},
                         {"hierarchical bootstrap", hierarchical_bootstrap},
                         {"bootstrap over processes", bootstrap_over_processes},
                         {"t over all blocks", t_over_blocks}};

// --- Coverage
// -------------------------------------------------------------------------------------

LogsByProcess log_ratios(const std::vector<SampleBlock>& numerator,
                         const std::vector<SampleBlock>& denominator) {
  const LogTimes below = log_medians(denominator);
  LogsByProcess logs;
  for (const auto& [key, log_time] : log_medians(numerator)) {
    logs[key.first].push_back(log_time - below.at(key));
  }
  return logs;
}

struct Coverage {
  double covered = 0;
  double half_width = 0;  ///< mean over experiments
};

std::vector<Coverage> coverage_of(std::span<const Way> ways, const World& world, int processes) {
  Simulation simulation(static_cast<std::uint64_t>(processes));
  std::mt19937_64 random(1);
  std::vector<Coverage> result(ways.size());
  for (int e = 0; e < kExperiments; ++e) {
    const auto arms = simulation.run(world, processes, {kTruth, 0});
    const LogsByProcess logs = log_ratios(arms[0], arms[1]);
    for (std::size_t w = 0; w < ways.size(); ++w) {
      const Interval interval = ways[w].interval(logs, random);
      result[w].covered += interval.contains(kTruth) ? 1.0 / kExperiments : 0;
      result[w].half_width += (interval.high - interval.low) / 2 / kExperiments;
    }
  }
  return result;
}

/// Of the way that the program takes.
Coverage coverage_of_chosen(const World& world, int processes) {
  return coverage_of(std::span(kWays).first(1), world, processes).front();
}

void print_table(const char* title, const std::vector<std::string>& columns,
                 const std::vector<std::vector<std::string>>& rows) {
  fmt::print("\n{}\n\n", title);
  const auto print_row = [](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) fmt::print("| {} ", cell);
    fmt::print("|\n");
  };
  print_row(columns);
  print_row(std::vector<std::string>(columns.size(), "---"));
  for (const auto& row : rows) print_row(row);
}

std::string percent(double share) { return fmt::format("{:.1f}%", share * 100); }

struct NamedWorld {
  const char* name;
  World world;
};

/// The deviations of processes and blocks are as small as an idle GPU has them.
std::vector<NamedWorld> worlds() {
  World calm;
  World drifting;
  drifting.drift = 0.1;
  World outliers;
  outliers.outlier_share = 0.05;
  outliers.upset_share = 0.05;
  World tails;
  tails.process_tail = 3;
  World blocks_only;
  blocks_only.process_deviation = 0;
  World bimodal;
  bimodal.two_places = 0.01;
  World cut;
  cut.cut_share = 0.9;
  return {{"calm", calm},
          {"drift of 10%", drifting},
          {"outliers", outliers},
          {"heavy tails (t, 3)", tails},
          {"no spread between processes", blocks_only},
          {"two places, 2% apart", bimodal},
          {"budget cuts up to 90% of the blocks", cut},
          {"all at once", simulated::harsh_world()}};
}

TEST(IntervalStudy, WaysToMakeAnInterval) {
  std::vector<std::string> columns{"interval"};
  std::vector<std::vector<std::string>> rows;
  for (const Way& way : kWays) rows.push_back({way.name});
  for (const int processes : kCounts) {
    columns.push_back(fmt::format("{} processes", processes));
    const auto found = coverage_of(kWays, simulated::harsh_world(), processes);
    for (std::size_t w = 0; w < found.size(); ++w) rows[w].push_back(percent(found[w].covered));
  }
  print_table("Coverage of 95% intervals, all disturbances at once", columns, rows);
}

TEST(IntervalStudy, TheChosenOneCoversInEveryWorld) {
  std::vector<std::string> columns{"world"};
  for (const int processes : kCounts) columns.push_back(fmt::format("{} processes", processes));
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, world] : worlds()) {
    std::vector<std::string>& row = rows.emplace_back();
    row.emplace_back(name);
    for (const int processes : kCounts) {
      const Coverage found = coverage_of_chosen(world, processes);
      row.push_back(percent(found.covered));
      EXPECT_GE(found.covered, 0.93) << name << ", " << processes << " processes";
      EXPECT_LE(found.covered, 0.975) << name << ", " << processes << " processes";
    }
  }
  print_table("Coverage of Student's t over the means of processes", columns, rows);
}

/// What repetition of processes cannot see: an arm that is off in all of them, or by the one that
/// runs before it, and processes that are like those before them.
std::vector<NamedWorld> blind_spots() {
  World biased;
  biased.arm_bias = 0.002;
  World very_biased;
  very_biased.arm_bias = 0.01;
  World warmed;
  warmed.carry_over = 0.002;
  World hot;
  hot.carry_over = 0.01;
  World alike;
  alike.autocorrelation = 0.3;
  World very_alike;
  very_alike.autocorrelation = 0.6;
  return {{"each arm off by 0.2% in all processes", biased},
          {"each arm off by 1% in all processes", very_biased},
          {"an arm slows the one after it by 0.2%", warmed},
          {"an arm slows the one after it by 1%", hot},
          {"processes correlated by 0.3", alike},
          {"processes correlated by 0.6", very_alike}};
}

TEST(IntervalStudy, WhatNoNumberOfProcessesCures) {
  std::vector<std::string> columns{"world"};
  for (const int processes : kCounts) columns.push_back(fmt::format("{} processes", processes));
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, world] : blind_spots()) {
    std::vector<std::string>& row = rows.emplace_back();
    row.emplace_back(name);
    for (const int processes : kCounts) {
      row.push_back(percent(coverage_of_chosen(world, processes).covered));
    }
  }
  // Were these to cover, the worlds would not be what their names say.
  EXPECT_LT(coverage_of_chosen(blind_spots()[1].world, 10).covered, 0.8);
  EXPECT_LT(coverage_of_chosen(blind_spots()[5].world, 10).covered, 0.9);
  print_table("Coverage of the same intervals where their assumption does not hold", columns, rows);
}

// --- How many processes
// ---------------------------------------------------------------------------

struct Pairs {
  double outside = 0;    ///< share of A/A pairs whose interval excludes 1
  double different = 0;  ///< share of those that are called faster or slower
  double smallest = 0;   ///< detectable effect, for the typical standard error of a pair
};

Pairs pairs_of(const World& world, int processes) {
  Simulation simulation(static_cast<std::uint64_t>(processes) + 100);
  Pairs pairs;
  double variance = 0;
  for (int e = 0; e < kExperiments; ++e) {
    const auto arms = simulation.run(world, processes, {0, 0});
    const RatioEstimate pair = estimate_ratio(arms[0], arms[1]).value();
    pairs.outside += pair.interval_95.value().contains(1) ? 0 : 1.0 / kExperiments;
    const Difference verdict = classify(pair);
    const bool different = verdict == Difference::kFaster || verdict == Difference::kSlower;
    pairs.different += different ? 1.0 / kExperiments : 0;
    const double error = estimate_log_ratio(arms[0], arms[1]).value().standard_error;
    variance += error * error / kExperiments;
  }
  pairs.smallest = smallest_detectable({0, std::sqrt(variance), processes - 1.0,
                                        Replication::kProcesses, processes})
                       .value();
  return pairs;
}

TEST(IntervalStudy, NumberOfProcesses) {
  const World world = simulated::harsh_world();
  std::vector<std::vector<std::string>> rows;
  for (const int processes : {2, 3, 4, 5, 6, 8, 10, 15}) {
    const Coverage found = coverage_of_chosen(world, processes);
    const Pairs pairs = pairs_of(world, processes);
    rows.push_back({std::to_string(processes), fmt::format("{:.2f}%", found.half_width * 100),
                    fmt::format("{:.2f}%", pairs.smallest * 100), percent(pairs.outside),
                    percent(pairs.different)});
    EXPECT_LE(pairs.outside, 0.07) << processes;
    EXPECT_LE(pairs.different, 0.05) << processes;
  }
  print_table("All disturbances at once, by the number of processes",
              {"processes", "half width of the interval", "smallest detectable effect",
               "A/A pairs whose interval excludes 1", "A/A pairs called different"},
              rows);
}

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
  Stopped stopped;
  const double share = 1.0 / kExperiments / static_cast<double>(arms - 1);
  for (int e = 0; e < kExperiments; ++e) {
    for (const LogEstimate& ratio :
         with_stop_rule(simulation, world, least, std::vector<double>(arms, 0.0))) {
      const RatioEstimate pair = to_ratio(ratio);
      stopped.missed += pair.interval_95.value().contains(1) ? 0 : share;
      const Difference verdict = classify(pair);
      const bool differs = verdict == Difference::kFaster || verdict == Difference::kSlower;
      stopped.different += differs ? share : 0;
      stopped.processes += share * ratio.replicates;
    }
  }
  return stopped;
}

World as_loud_as(World world, double deviation) {
  world.process_deviation = deviation;
  world.blocks = 6;
  world.samples = 5;
  return world;
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
      EXPECT_LE(found.different, 0.05 + 0.01) << deviation << ", from " << least;
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

// --- How many arms
// --------------------------------------------------------------------------------

Table table_of(const std::vector<std::vector<SampleBlock>>& arms) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    records.push_back(synthetic::record(fmt::format("arm-{}", i), arms[i]));
    records.back().baseline = i == 0;
  }
  return make_tables(std::move(records), {}).front();
}

TEST(IntervalStudy, EqualArms) {
  World world = as_loud_as({}, 0.05);
  world.blocks = 3;
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t count : {2U, 3U, 5U, 10U, 20U}) {
    Simulation simulation(count);
    double single = 0;
    double any = 0;
    double led = 0;
    for (int e = 0; e < kExperiments; ++e) {
      const Table table = table_of(simulation.run(world, 5, std::vector<double>(count, 0.0)));
      const auto differing = std::count_if(
          table.rows.begin(), table.rows.end(),
          [](const Row& row) { return row.verdict == "faster" || row.verdict == "slower"; });
      single += static_cast<double>(differing) / static_cast<double>(count - 1) / kExperiments;
      any += differing > 0 ? 1.0 / kExperiments : 0;
      led += find_leader(table).value().standing != Standing::kNone ? 1.0 / kExperiments : 0;
    }
    rows.push_back({std::to_string(count), percent(single), percent(any), percent(led)});
    EXPECT_LE(single, 0.06) << count;
    EXPECT_LE(led, 0.06) << count;
  }
  print_table("Equal arms in 5 processes",
              {"arms", "ratios called faster or slower", "runs with such a ratio",
               "runs whose headline gives an arm the first place"},
              rows);
}

}  // namespace
}  // namespace msda
