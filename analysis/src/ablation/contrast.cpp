#include "ablation/contrast.hpp"

#include <cmath>
#include <utility>

namespace msda {
namespace {

/// The contrast in every block that has all its arms, by process.
LogsByProcess by_process(const Weights& weights, const std::vector<LogTimes>& arms) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] != 0) used.push_back(i);
  }
  LogsByProcess values;
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

EffectVerdict verdict_of(const Effect& effect) {
  constexpr double kLevel = 0.05;
  if (!effect.ratio) return EffectVerdict::kNotEstimable;
  if (effect.p_equal && *effect.p_equal <= kLevel) return EffectVerdict::kEqual;
  if (!effect.p_difference || *effect.p_difference > kLevel) return EffectVerdict::kUndecided;
  return *effect.ratio > 1 ? EffectVerdict::kBetter : EffectVerdict::kWorse;
}

}  // namespace

std::optional<LogEstimate> estimate(const Weights& weights, const std::vector<LogTimes>& arms,
                                    PlannedProcesses planned) {
  const LogsByProcess values = by_process(weights, arms);
  if (values.empty()) return std::nullopt;
  return mean_of(values, planned);
}

std::optional<LogEstimate> estimate(const Contrast& contrast, const std::vector<LogTimes>& arms,
                                    PlannedProcesses planned) {
  if (!contrast.weights) return std::nullopt;
  auto result = estimate(*contrast.weights, arms, planned);
  if (!result || contrast.sampled.size() < 2) return result;
  std::vector<double> draws;
  for (const Weights& weights : contrast.sampled) {
    if (const auto draw = estimate(weights, arms)) draws.push_back(draw->value);
  }
  if (draws.size() < 2) return result;
  // The orders that were not drawn could have been: their spread is in the estimate as well.
  LogEstimate sampling = mean_of({{0, std::move(draws)}});
  sampling.value = 0;
  const LogEstimate total = sum_of({{1, *result}, {1, sampling}});
  result->standard_error = total.standard_error;
  result->degrees_of_freedom = total.degrees_of_freedom;
  return result;
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
    difference.push_back(p_inside(estimate, {0, 0}));
    equal.push_back(p_outside(estimate, log_range(kEquivalence)));
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
