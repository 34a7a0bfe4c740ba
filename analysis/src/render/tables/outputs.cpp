#include <fmt/format.h>

#include "render/tables/tables.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

/// One of several outputs of a cell.
struct OutputRow {
  const Table& table;
  const Row& row;
  const OutputError& output;
};

const ColumnsOf<OutputRow>& output_columns() {
  static const ColumnsOf<OutputRow> kColumns = {
      {"arm", Side::kWords, [](const OutputRow& of) { return arm_text(of.row); }},
      {"problem", Side::kWords, [](const OutputRow& of) { return place_of(of.table); }},
      {"output", Side::kWords, [](const OutputRow& of) { return printable_line(of.output.name); }},
      {"relative_l2", kPeople, Look("rel. L2", ColumnUnit::kError),
       [](const OutputRow& of) { return of.output.relative_l2; }},
      {"tolerance", kPeople, Look("tolerance", ColumnUnit::kError),
       [](const OutputRow& of) { return of.output.tolerance; }},
      {"row", kPeople, Look("worst row", ColumnUnit::kShare),
       [](const OutputRow& of) { return of.output.row_error; }},
      {"element", kPeople, Look("worst element", ColumnUnit::kShare),
       [](const OutputRow& of) { return of.output.element_error; }},
      {"spread", kPeople, Look("spread", ColumnUnit::kError),
       [](const OutputRow& of) { return when(!(of.output.spread == 0), of.output.spread); }}};
  return kColumns;
}

}  // namespace

std::optional<Section> output_section(const Report& report) {
  std::vector<OutputRow> rows;
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) {
      if (!row.compared() || row.record.outputs.size() < 2) continue;
      for (const OutputError& output : row.record.outputs) rows.push_back({table, row, output});
    }
  }
  if (rows.empty()) return std::nullopt;
  Section section{.title = "Outputs"};
  section.of_all_problems = true;
  section.headline = "How far each output was from the float64 reference.";
  set_rows(section, output_columns(), rows);
  section.remarks = {
      "worst row, worst element: the largest error of a row and of an element, as a part of what "
      "rounding can do to it. spread: relative L2 difference between two runs on one input; none "
      "where they leave the same bits."};
  return section;
}

}  // namespace msda
