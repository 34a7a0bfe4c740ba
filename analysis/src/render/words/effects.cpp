// What an ablation says in sentences, of one problem and over several.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/text/text.hpp"
#include "render/words/words.hpp"

namespace msda {
namespace {

/// Effects of a table and pooled ones alike.
template <class AnyEffect>
using Some = std::vector<const AnyEffect*>;

/// Effects with one of the verdicts, the strongest first.
template <class AnyEffect>
Some<AnyEffect> with_verdict(const std::vector<AnyEffect>& all, EffectVerdict verdict) {
  Some<AnyEffect> effects;
  for (const AnyEffect& effect : all) {
    if (effect.verdict == verdict) effects.push_back(&effect);
  }
  std::ranges::stable_sort(effects, [](const AnyEffect* a, const AnyEffect* b) {
    return std::abs(std::log(a->ratio.value_or(1))) > std::abs(std::log(b->ratio.value_or(1)));
  });
  return effects;
}

template <class AnyEffect>
std::string name_of_effect(const AnyEffect& effect) {
  return printable_line(effect.label);
}

/// "prefetch 1.050x"
template <class AnyEffect>
std::string name_and_ratio(const AnyEffect& effect) {
  return fmt::format("{} {}", printable_line(effect.label), ratio_text(*effect.ratio));
}

template <class AnyEffect, class Text>
std::string listed(const Some<AnyEffect>& effects, const Text& text) {
  std::vector<std::string> texts;
  texts.reserve(effects.size());
  for (const AnyEffect* effect : effects) texts.push_back(text(*effect));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// What an interval is over, and for how many problems it speaks.
std::string certainty(const Effect& effect) {
  return how_sure(effect.ratio_95, effect.replication, effect.replicates);
}

/// "mean of 3 problems, 95% interval 1.031x to 2.489x; 1.2x to 2.1x by problem"
std::string certainty(const PooledEffect& effect) {
  double low = INFINITY;
  double high = 0;
  std::size_t count = 0;
  for (const auto& ratio : effect.by_problem) {
    if (!ratio) continue;
    low = std::min(low, *ratio);
    high = std::max(high, *ratio);
    ++count;
  }
  std::string text = fmt::format("mean of {}", how_many(count, "problem"));
  if (effect.ratio_95) {
    text += fmt::format(", 95% interval {} to {}", ratio_text(effect.ratio_95->low),
                        ratio_text(effect.ratio_95->high));
  }
  return fmt::format("{}; {} to {} by problem", text, ratio_text(low), ratio_text(high));
}

std::string_view words_of(EffectVerdict verdict) {
  switch (verdict) {
    case EffectVerdict::kBetter: return "significantly faster";
    case EffectVerdict::kWorse: return "significantly slower";
    case EffectVerdict::kEqual: return "equal to the base";
    case EffectVerdict::kUndecided:
    case EffectVerdict::kNotEstimable: break;
  }
  return "not significantly different";
}

template <class AnyEffect>
std::string total_sentence(const AnyEffect& all) {
  if (!all.ratio) return "";
  return fmt::format("All factors together: {} the speed of the base, {} ({}). ",
                     ratio_text(*all.ratio), words_of(all.verdict), certainty(all));
}

/// "1.031x to 2.489x" behind a sentence that says what such intervals are; else all of that.
template <class AnyEffect>
std::string certainty(const AnyEffect& effect, bool is_said_before) {
  if (!is_said_before || !effect.ratio_95) return certainty(effect);
  return fmt::format("{} to {}", ratio_text(effect.ratio_95->low),
                     ratio_text(effect.ratio_95->high));
}

template <class AnyEffect>
std::string what_pays(const std::vector<AnyEffect>& effects, EffectKind kind, bool is_said_before) {
  Some<AnyEffect> pays = with_verdict(effects, EffectVerdict::kBetter);
  if (pays.empty()) return fmt::format("No factor pays significantly, {}. ", view_of(kind));
  const AnyEffect& best = *pays.front();
  std::string text = fmt::format("{} pays most, {}: {} ({})", name_of_effect(best), view_of(kind),
                                 ratio_text(*best.ratio), certainty(best, is_said_before));
  pays.erase(pays.begin());
  if (!pays.empty()) text += "; then " + listed(pays, name_and_ratio<AnyEffect>);
  return text + ". ";
}

template <class AnyEffect>
std::string the_rest(const std::vector<AnyEffect>& all) {
  std::string text;
  const auto add = [&](const char* what, EffectVerdict verdict, const auto& form) {
    const auto effects = with_verdict(all, verdict);
    if (!effects.empty()) text += fmt::format("{}: {}. ", what, listed(effects, form));
  };
  add("Costs time", EffectVerdict::kWorse, name_and_ratio<AnyEffect>);
  add("No difference", EffectVerdict::kEqual, name_of_effect<AnyEffect>);
  add("Undecided", EffectVerdict::kUndecided, name_and_ratio<AnyEffect>);
  return text;
}

/// Of those that are significant.
std::string strongest_interaction(const AblationTable& table) {
  const EffectFamily* family = find_family(table, EffectKind::kInteraction);
  if (family == nullptr) return "";
  const auto helping = with_verdict(family->effects, EffectVerdict::kBetter);
  const auto hindering = with_verdict(family->effects, EffectVerdict::kWorse);
  std::string text;
  if (!helping.empty()) text += "Most worth together: " + name_and_ratio(*helping.front()) + ". ";
  if (!hindering.empty()) {
    text += "Most in each other's way: " + name_and_ratio(*hindering.front()) + ". ";
  }
  return text;
}

std::string without_last_space(std::string text) {
  if (!text.empty()) text.pop_back();
  return text;
}

std::string factors_of(const AblationTable& table) {
  std::string text;
  if (const EffectFamily* total = find_family(table, EffectKind::kTotal)) {
    text += total_sentence(total->effects.front());
  }
  if (const EffectFamily* family = telling_family(table)) {
    text += what_pays(family->effects, family->kind, !text.empty()) + the_rest(family->effects);
  }
  return text;
}

const PooledFamily* find_pooled(const Ablation& ablation, TimingMode mode, EffectKind kind) {
  const auto found = std::ranges::find_if(ablation.pooled, [&](const PooledFamily& one) {
    return one.mode == mode && one.kind == kind;
  });
  return found == ablation.pooled.end() ? nullptr : &*found;
}

std::string pooled_factors_of(const Ablation& ablation, TimingMode mode) {
  std::string text;
  const PooledFamily* total = find_pooled(ablation, mode, EffectKind::kTotal);
  if (total != nullptr && !total->effects.empty()) text += total_sentence(total->effects.front());
  for (const EffectKind kind : {EffectKind::kMain, EffectKind::kLeaveOneOut, EffectKind::kAddOne}) {
    const PooledFamily* family = find_pooled(ablation, mode, kind);
    if (family == nullptr) continue;
    return text + what_pays(family->effects, kind, !text.empty()) + the_rest(family->effects);
  }
  return text;
}

std::vector<TimingMode> modes_of(const Ablation& ablation) {
  std::vector<TimingMode> modes;
  for (const AblationTable& table : ablation.tables) {
    if (std::ranges::find(modes, table.mode) == modes.end()) modes.push_back(table.mode);
  }
  return modes;
}

}  // namespace

std::string_view view_of(EffectKind kind) {
  if (kind == EffectKind::kMain) return "averaged over the other factors";
  return kind == EffectKind::kLeaveOneOut ? "on top of all the others" : "alone on the base";
}

std::string headline(const AblationTable& table) {
  return without_last_space(factors_of(table) + strongest_interaction(table));
}

std::string effects_answer(const Ablation& ablation) {
  const std::vector<TimingMode> modes = modes_of(ablation);
  std::vector<std::string> texts;
  for (const TimingMode mode : modes) {
    std::string of_mode = pooled_factors_of(ablation, mode);
    for (const AblationTable& table : ablation.tables) {  // pooled: of several problems
      if (of_mode.empty() && table.mode == mode) of_mode = factors_of(table);
    }
    if (of_mode.empty()) continue;
    if (modes.size() > 1) of_mode = fmt::format("Mode {}: ", name_of(mode)) + of_mode;
    texts.push_back(without_last_space(of_mode));
  }
  return fmt::format("{}", fmt::join(texts, "\n"));
}

}  // namespace msda
