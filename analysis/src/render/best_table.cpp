#include "render/best_table.hpp"

#include <fmt/format.h>

namespace msda {
namespace {

std::string cell_text(const nlohmann::json& pick, const char* key) {
  std::string text = text_field(pick, key);
  return text.empty() ? "-" : text;
}

}  // namespace

std::optional<Layout> lay_out_best(const Report& report) {
  Layout layout;
  layout.of_all_problems = true;
  layout.title = "What best is";
  layout.headline =
      "The winners of earlier searches that `use: best` stands for, and how near their problems "
      "are.";
  layout.columns = {
      {"arm", false}, {"problem", false}, {"composition", false}, {"how near", false}};
  for (const nlohmann::json& pick : plan_list(report, "best")) {
    if (!pick.is_object()) continue;
    const std::size_t note = footnote_number(layout.reasons, cell_text(pick, "composition"));
    layout.rows.push_back(
        {cell_text(pick, "arm"),
         fmt::format("{}, {}", cell_text(pick, "problem"), cell_text(pick, "mode")),
         fmt::format("[{}]", note), cell_text(pick, "match")});
    layout.verdicts.emplace_back("");
  }
  if (layout.rows.empty()) return std::nullopt;
  return layout;
}

}  // namespace msda
