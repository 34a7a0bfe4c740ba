#include <fmt/format.h>

#include "render/document.hpp"
#include "render/tables/tables.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

std::string cell_text(const std::string& text) {
  return text.empty() ? std::string(kAbsent) : printable_line(text);
}

const ColumnsOf<PickEntry>& pick_columns() {
  static const ColumnsOf<PickEntry> kColumns = {
      {"arm", Side::kWords, [](const PickEntry& pick) { return cell_text(pick.arm); }},
      {"problem", Side::kWords,
       [](const PickEntry& pick) {
         return fmt::format("{}, {}", cell_text(pick.problem), name_of(pick.mode));
       }},
      {"composition", Side::kWords,
       [](const PickEntry& pick, Footnotes& reasons) {
         return footnote(reasons, cell_text(pick.composition)).substr(1);
       }},
      {"how near", Side::kWords, [](const PickEntry& pick) { return cell_text(pick.match); }}};
  return kColumns;
}

}  // namespace

std::optional<Section> best_section(const Report& report) {
  const std::vector<PickEntry>& picks = report.manifest.plan.best;
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
