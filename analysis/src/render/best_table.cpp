#include "render/best_table.hpp"

#include <fmt/format.h>

#include "render/text.hpp"

namespace msda {
namespace {

/// A text of a manifest, which may be of anybody.
std::string text_of(const nlohmann::json& pick, const char* key) {
  const auto found = pick.find(key);
  return found != pick.end() && found->is_string() ? printable_line(found->get<std::string>())
                                                   : "-";
}

}  // namespace

std::optional<Layout> lay_out_best(const Report& report) {
  const auto plan = report.manifest.find("plan");
  if (plan == report.manifest.end() || !plan->is_object()) return std::nullopt;
  const auto picks = plan->find("best");
  if (picks == plan->end() || !picks->is_array()) return std::nullopt;
  Layout layout;
  layout.title = "What best is";
  layout.headline =
      "The winners of earlier searches that `use: best` stands for, and how near their problems "
      "are.";
  layout.columns = {
      {"arm", false}, {"problem", false}, {"composition", false}, {"how near", false}};
  for (const nlohmann::json& pick : *picks) {
    if (!pick.is_object()) continue;
    const std::size_t note = footnote_number(layout.reasons, text_of(pick, "composition"));
    layout.rows.push_back({text_of(pick, "arm"),
                           fmt::format("{}, {}", text_of(pick, "problem"), text_of(pick, "mode")),
                           fmt::format("[{}]", note), text_of(pick, "match")});
    layout.verdicts.emplace_back("");
  }
  if (layout.rows.empty()) return std::nullopt;
  return layout;
}

}  // namespace msda
