#include "studies/interval_ways.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "statistics/statistics.hpp"

namespace msda::study {
namespace {

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

constexpr Way kWays[] = {{"t over means of processes", t_over_processes},
                         {"t over medians of processes", t_over_process_medians},
                         {"mixed model (REML)", mixed_model},
                         {"hierarchical bootstrap, widened", corrected_bootstrap},
                         {"hierarchical bootstrap", hierarchical_bootstrap},
                         {"bootstrap over processes", bootstrap_over_processes},
                         {"t over all blocks", t_over_blocks}};

}  // namespace

std::span<const Way> ways() { return kWays; }

}  // namespace msda::study
