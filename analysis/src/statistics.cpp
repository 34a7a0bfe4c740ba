#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <boost/math/distributions/students_t.hpp>
#include <msda/error.hpp>

namespace msda {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Half width of the 95% Student t interval of the mean. Needs two values.
double half_width(const std::vector<double>& values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const auto count = static_cast<double>(values.size());
  const boost::math::students_t distribution(count - 1);
  constexpr double kUpperTail = 0.025;
  const double t = boost::math::quantile(boost::math::complement(distribution, kUpperTail));
  return t * std::sqrt(squares / (count - 1) / count);
}

using LogsByProcess = std::map<int, std::vector<double>>;

/// Mean of logs, and half the width of its interval where there is one.
struct LogMean {
  double centre = 0;
  std::optional<double> half;
  Replication replication = Replication::kNone;
  int replicates = 0;

  std::optional<Interval> interval() const {
    if (!half) return std::nullopt;
    return Interval{std::exp(centre - *half), std::exp(centre + *half)};
  }
};

/// Over the means of the processes where there are several, else over what the only one has. Needs
/// one value.
LogMean mean_of(const LogsByProcess& by_process) {
  std::vector<double> observations;
  LogMean result;
  if (by_process.size() > 1) {
    for (const auto& [process, logs] : by_process) observations.push_back(mean(logs));
    result.replication = Replication::kProcesses;
  } else {
    observations = by_process.begin()->second;
    if (observations.size() > 1) result.replication = Replication::kBlocks;
  }
  result.centre = mean(observations);
  result.replicates = static_cast<int>(observations.size());
  if (observations.size() > 1) result.half = half_width(observations);
  return result;
}

}  // namespace

std::map<std::pair<int, int>, double> log_medians(const std::vector<SampleBlock>& blocks) {
  std::map<std::pair<int, int>, std::vector<double>> samples;
  for (const SampleBlock& block : blocks) {
    auto& all = samples[{block.process, block.block}];
    all.insert(all.end(), block.seconds.begin(), block.seconds.end());
  }
  std::map<std::pair<int, int>, double> result;
  for (auto& [key, seconds] : samples) {
    if (seconds.empty()) continue;
    const double middle = median(std::move(seconds));
    // A time below the clock's resolution has no logarithm and carries no information.
    if (middle > 0 && std::isfinite(middle)) result[key] = std::log(middle);
  }
  return result;
}

double median(std::vector<double> values) {
  if (values.empty()) throw Error("median of an empty sample");
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

std::optional<double> median_seconds(const std::vector<SampleBlock>& blocks) {
  std::vector<double> all;
  for (const SampleBlock& block : blocks) {
    all.insert(all.end(), block.seconds.begin(), block.seconds.end());
  }
  if (all.empty()) return std::nullopt;
  return median(std::move(all));
}

std::optional<RatioEstimate> estimate_ratio(const std::vector<SampleBlock>& numerator,
                                            const std::vector<SampleBlock>& denominator) {
  const auto below = log_medians(denominator);
  LogsByProcess differences;
  for (const auto& [key, log_time] : log_medians(numerator)) {
    const auto found = below.find(key);
    if (found != below.end()) differences[key.first].push_back(log_time - found->second);
  }
  if (differences.empty()) return std::nullopt;
  const LogMean mean = mean_of(differences);
  return RatioEstimate{std::exp(mean.centre), mean.interval(), mean.replication, mean.replicates};
}

std::optional<TimeEstimate> estimate_time(const std::vector<SampleBlock>& blocks) {
  LogsByProcess logs;
  for (const auto& [key, log_time] : log_medians(blocks)) logs[key.first].push_back(log_time);
  if (logs.empty()) return std::nullopt;
  const LogMean mean = mean_of(logs);
  return TimeEstimate{std::exp(mean.centre), mean.interval(), mean.replication, mean.replicates};
}

std::string_view name_of(Difference difference) {
  switch (difference) {
    case Difference::kFaster: return "faster";
    case Difference::kSlower: return "slower";
    case Difference::kEqual: return "equal";
    case Difference::kUndecided: return "undecided";
  }
  return "?";
}

Difference classify(const RatioEstimate& speedup) {
  if (!speedup.interval_95) return Difference::kUndecided;
  const auto [low, high] = *speedup.interval_95;
  if (low >= 1 - kEquivalence && high <= 1 + kEquivalence) return Difference::kEqual;
  if (low > 1) return Difference::kFaster;
  if (high < 1) return Difference::kSlower;
  return Difference::kUndecided;
}

}  // namespace msda
