#include "ablation/contrast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>

namespace msda {
namespace {

struct Moments {
  double mean = 0;
  double variance_of_mean = 0;
};

Moments moments_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Moments moments;
  moments.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) return moments;
  double squares = 0;
  for (const double value : values) squares += (value - moments.mean) * (value - moments.mean);
  moments.variance_of_mean = squares / (count - 1) / count;
  return moments;
}

/// The contrast in every block that has all its arms, by process.
std::map<int, std::vector<double>> by_process(const Weights& weights,
                                              const std::vector<LogTimes>& arms) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] != 0) used.push_back(i);
  }
  std::map<int, std::vector<double>> values;
  if (used.empty()) return values;
  for (const auto& [key, unused] : arms[used.front()]) {
    double sum = 0;
    bool complete = true;
    for (const std::size_t i : used) {
      const auto found = arms[i].find(key);
      complete = found != arms[i].end();
      if (!complete) break;
      sum -= weights[i] * found->second;
    }
    if (complete) values[key.first].push_back(sum);
  }
  return values;
}

/// Log of the threshold beyond which two times are no longer called equal, above and below.
const double kUpper = std::log(1 + kEquivalence);
const double kLower = std::log(1 - kEquivalence);

/// One-sided probability of an estimate this far above `bound` (or below, for `sign` -1).
double beyond_p(const LogEstimate& estimate, double bound, int sign) {
  const double distance = sign * (estimate.value - bound);
  if (estimate.standard_error <= 0) return distance > 0 ? 0 : 1;
  const boost::math::students_t distribution(estimate.degrees_of_freedom);
  return boost::math::cdf(
      boost::math::complement(distribution, distance / estimate.standard_error));
}

/// Two one-sided tests at 2.5% each, so that an equal effect has its 95% interval inside the
/// bounds.
double equivalence_p(const LogEstimate& estimate) {
  return std::min(1.0, 2 * std::max(beyond_p(estimate, kLower, 1), beyond_p(estimate, kUpper, -1)));
}

EffectVerdict verdict_of(const Effect& effect) {
  constexpr double kLevel = 0.05;
  if (!effect.ratio) return EffectVerdict::kNotEstimable;
  if (effect.p_equal && *effect.p_equal <= kLevel) return EffectVerdict::kEqual;
  if (!effect.p_difference || *effect.p_difference > kLevel) return EffectVerdict::kUndecided;
  return *effect.ratio > 1 ? EffectVerdict::kBetter : EffectVerdict::kWorse;
}

}  // namespace

std::optional<LogEstimate> estimate(const Weights& weights, const std::vector<LogTimes>& arms) {
  const auto processes = by_process(weights, arms);
  if (processes.empty()) return std::nullopt;
  std::vector<double> observations;
  LogEstimate result;
  if (processes.size() > 1) {
    for (const auto& [process, values] : processes) observations.push_back(moments_of(values).mean);
    result.replication = Replication::kProcesses;
  } else {
    observations = processes.begin()->second;
    if (observations.size() > 1) result.replication = Replication::kBlocks;
  }
  const Moments moments = moments_of(observations);
  result.value = moments.mean;
  result.standard_error = std::sqrt(moments.variance_of_mean);
  result.replicates = static_cast<int>(observations.size());
  result.degrees_of_freedom = static_cast<double>(observations.size()) - 1;
  return result;
}

std::optional<LogEstimate> estimate(const Contrast& contrast, const std::vector<LogTimes>& arms) {
  if (!contrast.weights) return std::nullopt;
  auto result = estimate(*contrast.weights, arms);
  if (!result || contrast.sampled.size() < 2) return result;
  std::vector<double> draws;
  for (const Weights& weights : contrast.sampled) {
    if (const auto draw = estimate(weights, arms)) draws.push_back(draw->value);
  }
  if (draws.size() < 2) return result;
  const double sampling = moments_of(draws).variance_of_mean;
  const double measuring = result->standard_error * result->standard_error;
  const double total = sampling + measuring;
  result->standard_error = std::sqrt(total);
  if (result->degrees_of_freedom > 0 && total > 0) {  // Welch and Satterthwaite
    result->degrees_of_freedom = total * total /
                                 (sampling * sampling / (static_cast<double>(draws.size()) - 1) +
                                  measuring * measuring / result->degrees_of_freedom);
  }
  return result;
}

double two_sided_p(const LogEstimate& estimate, double centre) {
  return std::min(1.0, 2 * std::min(beyond_p(estimate, centre, 1), beyond_p(estimate, centre, -1)));
}

std::optional<Interval> interval_95(const LogEstimate& estimate) {
  if (estimate.degrees_of_freedom <= 0) return std::nullopt;
  constexpr double kUpperTail = 0.025;
  const boost::math::students_t distribution(estimate.degrees_of_freedom);
  const double half = estimate.standard_error *
                      boost::math::quantile(boost::math::complement(distribution, kUpperTail));
  return Interval{std::exp(estimate.value - half), std::exp(estimate.value + half)};
}

std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto remaining = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, remaining * p_values[order[rank]]));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

void judge(const std::vector<std::optional<LogEstimate>>& estimates, std::vector<Effect>& effects) {
  std::vector<std::size_t> tested;
  std::vector<double> difference;
  std::vector<double> equal;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (!estimates[i]) continue;
    const LogEstimate& estimate = *estimates[i];
    Effect& effect = effects[i];
    effect.ratio = std::exp(estimate.value);
    effect.replication = estimate.replication;
    effect.replicates = estimate.replicates;
    effect.ratio_95 = interval_95(estimate);
    if (!effect.ratio_95) continue;
    effect.standard_error = estimate.standard_error;
    effect.degrees_of_freedom = estimate.degrees_of_freedom;
    tested.push_back(i);
    difference.push_back(two_sided_p(estimate, 0));
    equal.push_back(equivalence_p(estimate));
  }
  const std::vector<double> corrected_difference = holm(difference);
  const std::vector<double> corrected_equal = holm(equal);
  for (std::size_t k = 0; k < tested.size(); ++k) {
    effects[tested[k]].p_difference = corrected_difference[k];
    effects[tested[k]].p_equal = corrected_equal[k];
  }
  for (Effect& effect : effects) effect.verdict = verdict_of(effect);
}

}  // namespace msda
