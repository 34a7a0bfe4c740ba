#include <algorithm>

#include <fmt/format.h>

#include "render/formats.hpp"
#include "render/html/web.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

std::string what_changed(const CellChange& change) {
  if (!change.ratio) return change.reason;
  return ratio_text(*change.ratio, change.ratio_95) +
         (change.reason.empty() ? "" : ", " + change.reason);
}

std::size_t count_of(const std::vector<CellChange>& changes, Change kind) {
  return static_cast<std::size_t>(std::ranges::count_if(
      changes, [kind](const CellChange& change) { return change.change == kind; }));
}

bool any_over_blocks(const std::vector<CellChange>& changes) {
  return std::ranges::any_of(
      changes, [](const CellChange& change) { return change.replication == Replication::kBlocks; });
}

}  // namespace

std::string to_text(const std::vector<CellChange>& changes, double threshold) {
  std::size_t cell_width = 0;
  for (const CellChange& change : changes) {
    cell_width = std::max(cell_width, display_width(printable_line(change.cell)));
  }
  constexpr std::size_t kVerdictWidth = 14;  // "not comparable"
  std::string text;
  for (const CellChange& change : changes) {
    text += fmt::format("{}  {}  {}\n", pad_right(printable_line(change.cell), cell_width),
                        pad_right(name_of(change.change), kVerdictWidth),
                        printable_line(what_changed(change)));
  }
  text += fmt::format(
      "{} cells: {} better, {} worse, {} equal within {:g}%, {} undecided, {} "
      "not comparable. Ratio: first time / second time, 95% interval; verdicts are "
      "corrected for the number of cells (Holm).\n",
      changes.size(), count_of(changes, Change::kBetter), count_of(changes, Change::kWorse),
      count_of(changes, Change::kEqual), threshold * 100, count_of(changes, Change::kUndecided),
      count_of(changes, Change::kNotComparable));
  if (any_over_blocks(changes)) {
    text +=
        "A run has a single process: intervals are over blocks, and differences between "
        "processes are not in them.\n";
  }
  return text;
}

std::string to_junit(const std::vector<CellChange>& changes) {
  nlohmann::json cases = nlohmann::json::array();
  for (const CellChange& change : changes) {
    const bool failure = change.change == Change::kWorse;
    const bool unknown = change.change == Change::kNotComparable;
    cases.push_back({{"name", printable_line(change.cell)},
                     {"time", fmt::format("{}", change.after_seconds)},
                     {"change", name_of(change.change)},
                     {"what", printable_line(what_changed(change))},
                     {"failure", failure},
                     {"unknown", unknown},
                     {"known", !failure && !unknown}});
  }
  return fill_template("junit.xml", {{"tests", changes.size()},
                                     {"failures", count_of(changes, Change::kWorse)},
                                     {"skipped", count_of(changes, Change::kNotComparable)},
                                     {"cases", std::move(cases)}});
}

}  // namespace msda
