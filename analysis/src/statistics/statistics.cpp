#include "statistics/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <msda/error.hpp>

namespace msda {

LogTimes log_medians(const std::vector<SampleBlock>& blocks) {
  std::map<std::pair<int, int>, std::vector<double>> samples;
  for (const SampleBlock& block : blocks) {
    auto& all = samples[{block.process, block.block}];
    all.insert(all.end(), block.seconds.begin(), block.seconds.end());
  }
  LogTimes result;
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

std::optional<LogEstimate> estimate_log_ratio(const std::vector<SampleBlock>& numerator,
                                              const std::vector<SampleBlock>& denominator,
                                              PlannedProcesses planned) {
  const LogTimes below = log_medians(denominator);
  LogsByProcess ratios;
  for (const auto& [key, log_time] : log_medians(numerator)) {
    const auto found = below.find(key);
    if (found != below.end()) ratios[key.first].push_back(log_time - found->second);
  }
  if (ratios.empty()) return std::nullopt;
  return mean_of(ratios, planned);
}

RatioEstimate to_ratio(const LogEstimate& log_ratio) {
  return {std::exp(log_ratio.value), interval_95(log_ratio), log_ratio.replication,
          log_ratio.replicates};
}

std::optional<RatioEstimate> estimate_ratio(const std::vector<SampleBlock>& numerator,
                                            const std::vector<SampleBlock>& denominator,
                                            PlannedProcesses planned) {
  const auto log_ratio = estimate_log_ratio(numerator, denominator, planned);
  if (!log_ratio) return std::nullopt;
  return to_ratio(*log_ratio);
}

std::optional<LogEstimate> estimate_log_time(const std::vector<SampleBlock>& blocks,
                                             PlannedProcesses planned) {
  LogsByProcess logs;
  for (const auto& [key, log_time] : log_medians(blocks)) logs[key.first].push_back(log_time);
  if (logs.empty()) return std::nullopt;
  return mean_of(logs, planned);
}

std::optional<TimeEstimate> estimate_time(const std::vector<SampleBlock>& blocks,
                                          PlannedProcesses planned) {
  const auto log_time = estimate_log_time(blocks, planned);
  if (!log_time) return std::nullopt;
  return TimeEstimate{std::exp(log_time->value), interval_95(*log_time), log_time->replication,
                      log_time->replicates};
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
