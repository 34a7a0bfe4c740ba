#include "render/prepass_table.hpp"

#include <fmt/format.h>

#include "render/text.hpp"

namespace msda {
namespace {

/// Everything in one unit, as parts of one launch are compared with each other.
const Scale kMicroseconds{1e6, "us", 1};

std::string before_text(const PrepassSplit& split) {
  std::string text;
  for (const PartMedian& part : split.before) {
    text += fmt::format("{}{} {}{}", text.empty() ? "" : " + ", printable_line(part.name),
                        kMicroseconds.number(part.seconds), part.outside ? " (outside)" : "");
  }
  return text;
}

std::vector<std::string> cells_of(const Table& table, const Row& row, const PrepassSplit& split,
                                  const std::string& verdict) {
  const auto& without = split.without;
  return {arm_text(row),
          fmt::format("{}, {}", printable_line(table.problem), name_of(table.mode)),
          before_text(split),
          kMicroseconds.number(split.kernel_seconds),
          kMicroseconds.number(split.total_seconds()),
          fmt::format("{:.1f}%", 100 * split.share()),
          row.speedup ? ratio_text(*row.speedup, row.speedup_95) : "-",
          without ? ratio_text(without->ratio, without->interval_95) : "-",
          verdict};
}

}  // namespace

std::optional<Layout> lay_out_prepasses(const Report& report) {
  Layout layout;
  layout.of_all_problems = true;
  layout.title = "Pre-passes";
  layout.headline =
      "What runs before the main kernel, and what the arm would be worth if it cost nothing.";
  layout.columns = {{"arm", false},  {"problem", false}, {"before the kernel [us]", false},
                    {"kernel [us]"}, {"total [us]"},     {"share"},
                    {"ratio [95%]"}, {"without [95%]"},  {"verdict without", false}};
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) {
      if (!row.prepasses) continue;
      const auto& without = row.prepasses->without;
      const std::string verdict(without ? name_of(classify(*without)) : "undecided");
      layout.rows.push_back(cells_of(table, row, *row.prepasses, verdict));
      layout.verdicts.push_back(verdict);
    }
  }
  if (layout.rows.empty()) return std::nullopt;
  layout.remarks = {
      "Parts are timed in launches of their own with an event between neighbours, which can make "
      "their total larger than the median above. share: of the total, before the kernel. ratio: "
      "of the whole, as above. without: baseline time / time of the kernel alone. (outside): packs "
      "an "
      "external kernel's inputs once, and is in no time above."};
  return layout;
}

}  // namespace msda
