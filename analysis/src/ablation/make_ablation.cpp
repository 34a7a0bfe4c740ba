#include "ablation/ablation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "ablation/families.hpp"

namespace msda {
namespace {

/// What the arms of a design left in one table, in the design's order of points.
struct Measured {
  std::vector<LogTimes> times;
  std::vector<double> errors;  ///< relative L2; 0 where there is none
  std::vector<std::string> missing;
  PlannedProcesses planned;
};

Measured measured_in(const Table& table, const Design& design) {
  Measured measured;
  measured.planned = table.planned;
  for (const DesignPoint& point : design.points) {
    const Row* row = find_row(table, point.arm);
    const bool timed = row != nullptr && row->timed();
    measured.times.push_back(timed ? log_medians(row->record.samples) : LogTimes{});
    measured.errors.push_back(timed ? row->record.worst_output().relative_l2 : 0);
    std::string why;
    if (row == nullptr) {
      why = "not measured";
    } else if (!timed) {
      why = row->verdict;
    }
    measured.missing.push_back(std::move(why));
  }
  return measured;
}

/// The contrast on log errors; absent where a cell has none.
std::optional<double> error_ratio(const Weights& weights, const std::vector<double>& errors) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    if (!(errors[i] > 0)) return std::nullopt;
    sum += weights[i] * std::log(errors[i]);
  }
  return std::exp(sum);
}

/// All factors together, as the shares split it; nullopt where one of them is not estimated.
std::optional<LogEstimate> total_of(const ContrastFamily& shares, const Measured& measured) {
  Weights total(measured.times.size(), 0.0);
  for (const Contrast& contrast : shares.contrasts) {
    if (!contrast.weights) return std::nullopt;
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += (*contrast.weights)[i];
  }
  return estimate(total, measured.times, measured.planned);
}

/// Parts of nothing are no shares: with a total that may be 1 they would be noise over noise.
void add_shares(const ContrastFamily& contrasts, const Measured& measured, EffectFamily& family) {
  const auto total = total_of(contrasts, measured);
  if (!total) return;
  constexpr double kLevel = 0.05;
  const bool is_known = total->degrees_of_freedom > 0;
  const bool differs = is_known && p_inside(*total, {0, 0}) <= kLevel &&
                       p_outside(*total, log_range(kEquivalence)) > kLevel;
  if (!differs) {
    family.remark += "; no shares, because the total is not significantly different from 1";
    return;
  }
  for (Effect& effect : family.effects) effect.share = std::log(*effect.ratio) / total->value;
}

EffectFamily estimate_family(const ContrastFamily& contrasts, const Measured& measured) {
  EffectFamily family{contrasts.kind, {}, contrasts.remark};
  std::vector<std::optional<LogEstimate>> estimates;
  for (const Contrast& contrast : contrasts.contrasts) {
    estimates.push_back(estimate(contrast, measured.times, measured.planned));
    Effect effect;
    effect.label = contrast.label;
    effect.factors = contrast.factors;
    effect.reason = contrast.reason;
    if (contrast.weights) {
      effect.error_ratio = error_ratio(*contrast.weights, measured.errors);
      if (!estimates.back()) effect.reason = "its arms have no block in common";
    }
    family.effects.push_back(std::move(effect));
  }
  judge(estimates, family.effects);
  if (family.kind == EffectKind::kShapley) add_shares(contrasts, measured, family);
  return family;
}

AblationTable effects_in(const Table& table, const Design& design) {
  const Measured measured = measured_in(table, design);
  const Cells cells(design, measured.missing);
  AblationTable effects{table.problem, table.mode, {}};
  const auto add = [&](const std::vector<ContrastFamily>& families) {
    for (const ContrastFamily& family : families) {
      effects.families.push_back(estimate_family(family, measured));
    }
  };
  const std::vector<ContrastFamily> model = factorial(cells);
  add(one_at_a_time(cells));
  add(model);
  add(shapley(cells, model));
  return effects;
}

/// The effect with this label at every problem; nullptr where it was not estimated.
std::vector<const Effect*> at_problems(const std::vector<const EffectFamily*>& families,
                                       const std::string& label) {
  std::vector<const Effect*> found;
  for (const EffectFamily* family : families) {
    const auto effect = std::find_if(family->effects.begin(), family->effects.end(),
                                     [&](const Effect& e) { return e.label == label && e.ratio; });
    found.push_back(effect == family->effects.end() ? nullptr : &*effect);
  }
  return found;
}

LogEstimate log_of(const Effect& effect) {
  return {std::log(*effect.ratio), effect.standard_error, effect.degrees_of_freedom,
          effect.replication, effect.replicates};
}

/// The mean over the problems, which are taken as given: its error is that of measuring alone.
std::optional<LogEstimate> mean_over(const std::vector<const Effect*>& effects) {
  std::vector<WeightedEstimate> terms;
  for (const Effect* effect : effects) {
    if (effect != nullptr) terms.push_back({1, log_of(*effect)});
  }
  if (terms.empty()) return std::nullopt;
  for (WeightedEstimate& term : terms) term.weight = 1 / static_cast<double>(terms.size());
  return sum_of(terms);
}

/// Probability of so much spread between the problems when the effect is the same at all of them.
std::optional<double> same_p(const std::vector<const Effect*>& effects) {
  std::vector<LogEstimate> estimates;
  for (const Effect* effect : effects) {
    if (effect != nullptr && effect->standard_error > 0) estimates.push_back(log_of(*effect));
  }
  if (estimates.size() < 2) return std::nullopt;
  return p_all_same(estimates);
}

double spread_of(const std::vector<const Effect*>& effects, double centre) {
  double squares = 0;
  int count = 0;
  for (const Effect* effect : effects) {
    if (effect == nullptr) continue;
    squares += std::pow(std::log(*effect->ratio) - centre, 2);
    ++count;
  }
  return count < 2 ? 1 : std::exp(std::sqrt(squares / (count - 1)));
}

void judge_pooled(const std::vector<std::optional<LogEstimate>>& means, PooledFamily& family) {
  std::vector<Effect> judged(means.size());
  judge(means, judged);
  std::vector<double> p_values;
  for (std::size_t i = 0; i < means.size(); ++i) {
    PooledEffect& pooled = family.effects[i];
    pooled.ratio = judged[i].ratio;
    pooled.ratio_95 = judged[i].ratio_95;
    pooled.verdict = judged[i].verdict;
    if (pooled.p_same) p_values.push_back(*pooled.p_same);
  }
  const std::vector<double> corrected = holm(p_values);
  std::size_t next = 0;
  constexpr double kLevel = 0.05;
  for (PooledEffect& pooled : family.effects) {
    if (!pooled.p_same) continue;
    pooled.p_same = corrected[next++];
    pooled.heterogeneous = *pooled.p_same <= kLevel;
  }
}

/// The effects of one kind over the tables of one mode; nullopt with fewer than two problems.
std::optional<PooledFamily> pool(EffectKind kind, TimingMode mode,
                                 const std::vector<AblationTable>& tables) {
  PooledFamily pooled{kind, mode, {}, {}};
  std::vector<const EffectFamily*> families;
  for (const AblationTable& table : tables) {
    for (const EffectFamily& family : table.families) {
      if (table.mode != mode || family.kind != kind) continue;
      families.push_back(&family);
      pooled.problems.push_back(table.problem);
    }
  }
  if (families.size() < 2) return std::nullopt;
  std::vector<std::optional<LogEstimate>> means;
  for (const Effect& like : families.front()->effects) {
    const std::vector<const Effect*> effects = at_problems(families, like.label);
    PooledEffect effect;
    effect.label = like.label;
    effect.factors = like.factors;
    for (const Effect* at : effects) effect.by_problem.push_back(at ? at->ratio : std::nullopt);
    means.push_back(mean_over(effects));
    if (means.back()) effect.spread = spread_of(effects, means.back()->value);
    effect.p_same = same_p(effects);
    pooled.effects.push_back(std::move(effect));
  }
  judge_pooled(means, pooled);
  return pooled;
}

}  // namespace

const EffectFamily* find_family(const AblationTable& table, EffectKind kind) {
  const auto found = std::ranges::find_if(table.families,
                                          [kind](const EffectFamily& f) { return f.kind == kind; });
  return found == table.families.end() ? nullptr : &*found;
}

const EffectFamily* telling_family(const AblationTable& table) {
  constexpr std::array kKinds{EffectKind::kMain, EffectKind::kLeaveOneOut, EffectKind::kAddOne};
  for (const EffectKind kind : kKinds) {
    if (const EffectFamily* family = find_family(table, kind)) return family;
  }
  return nullptr;
}

std::string_view name_of(EffectKind kind) {
  switch (kind) {
    case EffectKind::kTotal: return "total";
    case EffectKind::kAddOne: return "add-one";
    case EffectKind::kLeaveOneOut: return "leave-one-out";
    case EffectKind::kGap: return "gap";
    case EffectKind::kMain: return "main";
    case EffectKind::kInteraction: return "interaction";
    case EffectKind::kLadderStep: return "ladder";
    case EffectKind::kShapley: break;
  }
  return "shapley";
}

std::string_view name_of(EffectVerdict verdict) {
  switch (verdict) {
    case EffectVerdict::kBetter: return "better";
    case EffectVerdict::kWorse: return "worse";
    case EffectVerdict::kEqual: return "equal";
    case EffectVerdict::kUndecided: return "undecided";
    case EffectVerdict::kNotEstimable: break;
  }
  return "not estimable";
}

Ablation make_ablation(Design design, const std::vector<Table>& tables) {
  Ablation ablation;
  ablation.design = std::move(design);
  for (const Table& table : tables) {
    ablation.tables.push_back(effects_in(table, ablation.design));
  }
  std::vector<TimingMode> modes;
  for (const Table& table : tables) {
    if (std::ranges::find(modes, table.mode) == modes.end()) {
      modes.push_back(table.mode);
    }
  }
  constexpr std::array kKinds = {
      EffectKind::kTotal,      EffectKind::kAddOne, EffectKind::kLeaveOneOut, EffectKind::kGap,
      EffectKind::kLadderStep, EffectKind::kMain,   EffectKind::kInteraction, EffectKind::kShapley};
  for (const TimingMode mode : modes) {
    for (const EffectKind kind : kKinds) {
      if (auto family = pool(kind, mode, ablation.tables)) {
        ablation.pooled.push_back(std::move(*family));
      }
    }
  }
  return ablation;
}

}  // namespace msda
