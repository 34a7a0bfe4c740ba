#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/text/text.hpp"
#include "render/words/words.hpp"

namespace msda {
namespace {

/// Effects with one of the verdicts, the strongest first.
std::vector<const Effect*> with_verdict(const EffectFamily& family, EffectVerdict verdict) {
  std::vector<const Effect*> effects;
  for (const Effect& effect : family.effects) {
    if (effect.verdict == verdict) effects.push_back(&effect);
  }
  std::ranges::stable_sort(effects, [](const Effect* a, const Effect* b) {
    return std::abs(std::log(*a->ratio)) > std::abs(std::log(*b->ratio));
  });
  return effects;
}

std::string name(const Effect& effect) { return printable_line(effect.label); }

std::string name_and_ratio(const Effect& effect) {
  return fmt::format("{} {}", name(effect), ratio_text(*effect.ratio));
}

template <class Text>
std::string listed(const std::vector<const Effect*>& effects, const Text& text) {
  std::vector<std::string> texts;
  texts.reserve(effects.size());
  for (const Effect* effect : effects) texts.push_back(text(*effect));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string total_of(const AblationTable& table) {
  const EffectFamily* family = find_family(table, EffectKind::kTotal);
  if (family == nullptr || !family->effects.front().ratio) return "";
  const Effect& all = family->effects.front();
  return fmt::format("All factors together: {} the speed of the base, {} ({}). ",
                     ratio_text(*all.ratio), name_of(all.verdict),
                     how_sure(all.ratio_95, all.replication, all.replicates));
}

std::string what_pays(const EffectFamily& family) {
  std::vector<const Effect*> pays = with_verdict(family, EffectVerdict::kBetter);
  if (pays.empty()) return fmt::format("No factor surely pays, {}. ", view_of(family.kind));
  const Effect& best = *pays.front();
  std::string text = fmt::format("{} pays most, {}: {} ({})", name(best), view_of(family.kind),
                                 ratio_text(*best.ratio),
                                 how_sure(best.ratio_95, best.replication, best.replicates));
  pays.erase(pays.begin());
  if (!pays.empty()) text += "; then " + listed(pays, name_and_ratio);
  return text + ". ";
}

std::string the_rest(const EffectFamily& family) {
  std::string text;
  const auto add = [&](const char* what, EffectVerdict verdict, const auto& form) {
    const auto effects = with_verdict(family, verdict);
    if (!effects.empty()) text += fmt::format("{}: {}. ", what, listed(effects, form));
  };
  add("Costs time", EffectVerdict::kWorse, name_and_ratio);
  add("No difference", EffectVerdict::kEqual, name);
  add("Undecided", EffectVerdict::kUndecided, name_and_ratio);
  return text;
}

/// Of those that are surely there.
std::string strongest_interaction(const AblationTable& table) {
  const EffectFamily* family = find_family(table, EffectKind::kInteraction);
  if (family == nullptr) return "";
  const auto helping = with_verdict(*family, EffectVerdict::kBetter);
  const auto hindering = with_verdict(*family, EffectVerdict::kWorse);
  std::string text;
  if (!helping.empty()) text += "Most worth together: " + name_and_ratio(*helping.front()) + ". ";
  if (!hindering.empty()) {
    text += "Most in each other's way: " + name_and_ratio(*hindering.front()) + ". ";
  }
  return text;
}

}  // namespace

std::string_view view_of(EffectKind kind) {
  if (kind == EffectKind::kMain) return "averaged over the other factors";
  return kind == EffectKind::kLeaveOneOut ? "on top of all the others" : "alone on the base";
}

std::string headline(const AblationTable& table) {
  std::string text = total_of(table);
  if (const EffectFamily* family = telling_family(table)) {
    text += what_pays(*family) + the_rest(*family);
  }
  text += strongest_interaction(table);
  if (!text.empty()) text.pop_back();  // the space after the last sentence
  return text;
}

}  // namespace msda
