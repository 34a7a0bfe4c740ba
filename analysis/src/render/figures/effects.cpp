#include <fmt/format.h>

#include "render/figures/values.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

std::string tip_of(const Effect& effect, std::string_view kind) {
  return fmt::format("{}, {}: {}, {}", printable_line(effect.label), kind,
                     ratio_text(*effect.ratio, effect.ratio_95), name_of(effect.verdict));
}

}  // namespace

Json effect_values(const AblationTable& table) {
  Json values = Json::array();
  for (const EffectKind kind : {EffectKind::kAddOne, EffectKind::kMain, EffectKind::kLeaveOneOut}) {
    const EffectFamily* family = find_family(table, kind);
    if (family == nullptr) continue;
    for (const Effect& effect : family->effects) {
      if (!effect.ratio) continue;
      const Interval bounds = effect.ratio_95.value_or(Interval{*effect.ratio, *effect.ratio});
      values.push_back({{"factor", printable_line(effect.label)},
                        {"way", name_of(kind)},
                        {"ratio", *effect.ratio},
                        {"low", bounds.low},
                        {"high", bounds.high},
                        {"tip", tip_of(effect, name_of(kind))}});
    }
  }
  return values;
}

Json ladder_values(const AblationTable& table) {
  Json values = Json::array();
  const EffectFamily* ladder = find_family(table, EffectKind::kLadderStep);
  if (ladder == nullptr) return values;
  double speedup = 1;
  for (const Effect& effect : ladder->effects) {
    if (!effect.ratio) return Json::array();  // a ladder with a missing rung leads nowhere
    values.push_back({{"factor", printable_line(effect.label)},
                      {"from", speedup},
                      {"to", speedup * *effect.ratio},
                      {"verdict", name_of(effect.verdict)},
                      {"tip", tip_of(effect, "on top of those above")}});
    speedup *= *effect.ratio;
  }
  values.push_back({{"factor", "all"},
                    {"from", 1},
                    {"to", speedup},
                    {"verdict", "total"},
                    {"tip", fmt::format("all: {}", ratio_text(speedup))}});
  return values;
}

Json shapley_values(const AblationTable& table) {
  Json values = Json::array();
  const EffectFamily* family = find_family(table, EffectKind::kShapley);
  if (family == nullptr) return values;
  for (const Effect& effect : family->effects) {
    if (!effect.share || !effect.ratio) continue;
    values.push_back(
        {{"factor", printable_line(effect.label)},
         {"share", *effect.share},
         {"tip", fmt::format("{}: {:.1f}% of the total, {}", printable_line(effect.label),
                             *effect.share * 100, ratio_text(*effect.ratio, effect.ratio_95))}});
  }
  return values;
}

Json interaction_values(const AblationTable& table) {
  Json values = Json::array();
  const EffectFamily* family = find_family(table, EffectKind::kInteraction);
  if (family == nullptr) return values;
  for (const Effect& effect : family->effects) {
    const std::size_t between = effect.label.find(" x ");
    if (!effect.ratio || between == std::string::npos) continue;
    values.push_back({{"first", printable_line(effect.label.substr(0, between))},
                      {"second", printable_line(effect.label.substr(between + 3))},
                      {"ratio", *effect.ratio},
                      {"tip", tip_of(effect, "interaction")}});
  }
  return values;
}

Json problem_values(const PooledFamily& family) {
  Json values = Json::array();
  const bool of_factors = family.kind == EffectKind::kMain || family.kind == EffectKind::kAddOne ||
                          family.kind == EffectKind::kLeaveOneOut;
  if (!of_factors) return values;
  for (const PooledEffect& effect : family.effects) {
    const std::string factor = printable_line(effect.label);
    for (std::size_t i = 0; i < family.problems.size(); ++i) {
      if (!effect.by_problem[i]) continue;
      const std::string problem = printable_line(family.problems[i]);
      values.push_back({{"factor", factor},
                        {"problem", problem},
                        {"ratio", *effect.by_problem[i]},
                        {"tip", fmt::format("{} at {}: {}", factor, problem,
                                            ratio_text(*effect.by_problem[i]))}});
    }
  }
  return values;
}

}  // namespace msda
