#include "render/csv_field.hpp"
#include "render/formats.hpp"

namespace msda {
namespace {

struct Line {
  const AblationTable& table;
  const EffectFamily& family;
  const Effect& effect;
};

constexpr CsvColumn<Line> kEffects[] = {
    {"problem", [](const Line& l) { return csv_field(l.table.problem); }},
    {"mode", [](const Line& l) { return csv_field(name_of(l.table.mode)); }},
    {"kind", [](const Line& l) { return csv_field(name_of(l.family.kind)); }},
    {"effect", [](const Line& l) { return csv_field(l.effect.label); }},
    {"speedup", [](const Line& l) { return csv_field(l.effect.ratio); }},
    {"speedup_95_low",
     [](const Line& l) { return l.effect.ratio_95 ? csv_field(l.effect.ratio_95->low) : ""; }},
    {"speedup_95_high",
     [](const Line& l) { return l.effect.ratio_95 ? csv_field(l.effect.ratio_95->high) : ""; }},
    {"p_difference", [](const Line& l) { return csv_field(l.effect.p_difference); }},
    {"p_equal", [](const Line& l) { return csv_field(l.effect.p_equal); }},
    {"share", [](const Line& l) { return csv_field(l.effect.share); }},
    {"error_ratio", [](const Line& l) { return csv_field(l.effect.error_ratio); }},
    {"verdict", [](const Line& l) { return csv_field(name_of(l.effect.verdict)); }},
    {"reason", [](const Line& l) { return csv_field(l.effect.reason); }},
};

}  // namespace

std::string effects_to_csv(const Ablation& ablation) {
  const std::span<const CsvColumn<Line>> columns = kEffects;
  std::string text = csv_header(columns);
  for (const AblationTable& table : ablation.tables) {
    for (const EffectFamily& family : table.families) {
      for (const Effect& effect : family.effects) {
        append_csv_line(text, columns, Line{table, family, effect});
      }
    }
  }
  return text;
}

}  // namespace msda
