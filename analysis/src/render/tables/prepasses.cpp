#include <fmt/format.h>

#include "render/tables/tables.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

/// Everything in one unit, as parts of one launch are compared with each other.
const Scale kMicroseconds{1e6, "us", 1};

/// A cell whose parts were timed.
struct SplitRow {
  const Table& table;
  const Row& row;
  const PrepassSplit& split;
};

std::string before_text(const SplitRow& of) {
  std::string text;
  for (const PartMedian& part : of.split.before) {
    text += fmt::format("{}{} {}{}", text.empty() ? "" : " + ", printable_line(part.name),
                        kMicroseconds.number(part.seconds), part.outside ? " (outside)" : "");
  }
  return text;
}

const ColumnsOf<SplitRow>& split_columns() {
  static const ColumnsOf<SplitRow> kColumns = {
      {"arm", Side::kWords, [](const SplitRow& of) { return arm_text(of.row); }},
      {"problem", Side::kWords, [](const SplitRow& of) { return place_of(of.table); }},
      {"beside the kernel [us]", Side::kWords, before_text},
      {"kernel [us]", Side::kNumbers,
       [](const SplitRow& of) { return kMicroseconds.number(of.split.kernel_seconds); }},
      {"total [us]", Side::kNumbers,
       [](const SplitRow& of) { return kMicroseconds.number(of.split.total_seconds()); }},
      {"share", kPeople, Look("share", ColumnUnit::kShare),
       [](const SplitRow& of) { return of.split.share(); }},
      {"ratio", kPeople, Look("ratio", ColumnUnit::kRatio),
       [](const SplitRow& of) { return Estimate(of.row.speedup, of.row.speedup_95); }},
      {"without", kPeople, Look("without", ColumnUnit::kRatio),
       [](const SplitRow& of) {
         const auto& without = of.split.without;
         return without ? Estimate(without->ratio, without->interval_95) : Estimate();
       }},
      {"verdict", kPeople, Look("verdict without"), [](const SplitRow& of) {
         return name_of(of.split.without ? classify(*of.split.without) : Difference::kUndecided);
       }}};
  return kColumns;
}

}  // namespace

std::optional<Section> prepass_section(const Report& report) {
  std::vector<SplitRow> rows;
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) {
      if (row.prepasses) rows.push_back({table, row, *row.prepasses});
    }
  }
  if (rows.empty()) return std::nullopt;
  Section section{.title = "Pre-passes"};
  section.of_all_problems = section.spare = true;
  section.headline =
      "What runs beside the main kernel, and what the arm would be worth if it cost nothing.";
  set_rows(section, split_columns(), rows);
  section.remarks = {
      "Parts are timed in launches of their own with an event between neighbours, which can make "
      "their total larger than the median above. share: of the total, beside the kernel. ratio: "
      "of the whole, as above. without: baseline time / time of the kernel alone. (outside): packs "
      "an external kernel's inputs once, and is in no time above."};
  return section;
}

}  // namespace msda
