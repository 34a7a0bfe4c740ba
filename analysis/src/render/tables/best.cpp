#include "render/document.hpp"
#include "render/tables/tables.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

std::string cell_text(const Json& pick, const char* key) {
  std::string text = text_field(pick, key);
  return text.empty() ? kAbsent : text;
}

const ColumnsOf<Json>& pick_columns() {
  static const ColumnsOf<Json> kColumns = {
      {"arm", Side::kWords, [](const Json& pick) { return cell_text(pick, "arm"); }},
      {"problem", Side::kWords,
       [](const Json& pick) {
         return cell_text(pick, "problem") + ", " + cell_text(pick, "mode");
       }},
      {"composition", Side::kWords,
       [](const Json& pick, Footnotes& reasons) {
         return footnote(reasons, cell_text(pick, "composition")).substr(1);
       }},
      {"how near", Side::kWords, [](const Json& pick) { return cell_text(pick, "match"); }}};
  return kColumns;
}

}  // namespace

std::optional<Section> best_section(const Report& report) {
  std::vector<Json> picks;
  for (const Json& pick : plan_list(report, "best")) {
    if (pick.is_object()) picks.push_back(pick);
  }
  if (picks.empty()) return std::nullopt;
  Section section{.title = "What best is"};
  section.of_all_problems = true;
  section.headline =
      "The winners of earlier searches that `use: best` stands for, and how near their problems "
      "are.";
  set_rows(section, pick_columns(), picks);
  return section;
}

}  // namespace msda
