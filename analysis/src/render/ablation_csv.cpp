#include <fmt/format.h>

#include "render/csv_field.hpp"
#include "render/formats.hpp"

namespace msda {
namespace {

std::string number_field(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string bound_field(const std::optional<Interval>& interval, double Interval::*side) {
  return interval ? fmt::format("{}", (*interval).*side) : "";
}

}  // namespace

std::string effects_to_csv(const Ablation& ablation) {
  std::string text =
      "problem,mode,kind,effect,speedup,speedup_95_low,speedup_95_high,p_difference,p_equal,share,"
      "error_ratio,verdict,reason\r\n";
  for (const AblationTable& table : ablation.tables) {
    for (const EffectFamily& family : table.families) {
      for (const Effect& effect : family.effects) {
        text += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", csv_field(table.problem),
            name_of(table.mode), name_of(family.kind), csv_field(effect.label),
            number_field(effect.ratio), bound_field(effect.ratio_95, &Interval::low),
            bound_field(effect.ratio_95, &Interval::high), number_field(effect.p_difference),
            number_field(effect.p_equal), number_field(effect.share),
            number_field(effect.error_ratio), name_of(effect.verdict), csv_field(effect.reason));
      }
    }
  }
  return text;
}

}  // namespace msda
