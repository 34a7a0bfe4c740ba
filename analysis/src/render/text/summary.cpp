#include "render/text/summary.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/document.hpp"
#include "render/formats.hpp"
#include "render/tables/tables.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

constexpr std::string_view kGap = "  ";

struct Cell {
  std::string text;
  std::string verdict{};
};

/// Two lines of headings, then rows; the first column holds names. Each is as wide as its widest
/// cell.
struct Grid {
  std::vector<std::string> upper;  ///< one for each column, "" where it goes on with the one before
  std::vector<std::string> lower{};  ///< empty: a single line of headings
  std::vector<std::vector<Cell>> rows{};
};

std::string marked(const MatrixCell& cell) {
  switch (cell.place) {
    case Place::kFirst: return "*" + cell.text;
    case Place::kShared: return "~" + cell.text;
    case Place::kNone: break;
  }
  return cell.text.empty() ? "-" : cell.text;
}

Grid whole(const Matrix& matrix) {
  Grid grid{.upper = {matrix.corner}};
  if (matrix.has_several_modes()) grid.lower.emplace_back();
  for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
    const MatrixColumn& column = matrix.columns[c];
    grid.upper.push_back(matrix.goes_on(c) ? "" : column.problem);
    if (!grid.lower.empty()) grid.lower.emplace_back(name_of(column.mode));
  }
  for (const MatrixRow& row : matrix.rows) {
    auto& cells = grid.rows.emplace_back(1, Cell{row.name});
    for (const MatrixCell& cell : row.cells) cells.push_back({marked(cell), cell.verdict});
  }
  return grid;
}

/// "1.68 (0.98 to 2.40)", "7 x *"
void add_mode(const MatrixRow& row, const std::vector<std::size_t>& columns,
              std::vector<Cell>& cells) {
  MatrixRow part{row.name, {}, row.is_baseline};
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  int first = 0;
  std::string verdict = columns.empty() ? "" : row.cells[columns.front()].verdict;
  for (const std::size_t c : columns) {
    const MatrixCell& cell = row.cells[c];
    part.cells.push_back(cell);
    if (cell.ratio) low = std::min(low, *cell.ratio);
    if (cell.ratio) high = std::max(high, *cell.ratio);
    first += cell.place == Place::kFirst ? 1 : 0;
    if (cell.verdict != verdict) verdict = "";
  }
  const auto mean = mean_ratio(part);
  cells.push_back({mean ? short_ratio(*mean) : "-", verdict});
  cells.push_back(
      {mean ? fmt::format("{} to {}", short_ratio(low), short_ratio(high)) : "", verdict});
  cells.push_back({first > 0 ? fmt::format("{}*", first) : "", verdict});
}

Grid by_mode(const Matrix& matrix) {
  std::vector<TimingMode> modes;
  for (const MatrixColumn& column : matrix.columns) {
    if (std::ranges::find(modes, column.mode) == modes.end()) modes.push_back(column.mode);
  }
  Grid grid{.upper = {matrix.corner}, .lower = {""}};
  for (const TimingMode mode : modes) {
    grid.upper.insert(grid.upper.end(), {std::string(name_of(mode)), "", ""});
    grid.lower.insert(grid.lower.end(), {"mean", "range", "first"});
  }
  for (const MatrixRow& row : matrix.rows) {
    auto& cells = grid.rows.emplace_back(1, Cell{row.name});
    for (const TimingMode mode : modes) {
      std::vector<std::size_t> columns;
      for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
        if (matrix.columns[c].mode == mode) columns.push_back(c);
      }
      add_mode(row, columns, cells);
    }
  }
  return grid;
}

std::vector<std::size_t> widths_of(const Grid& grid) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < grid.upper.size(); ++c) {
    const bool is_above = c == 0 || grid.lower.empty();
    std::size_t width = display_width(is_above ? grid.upper[c] : grid.lower[c]);
    for (const auto& row : grid.rows) width = std::max(width, display_width(row[c].text));
    widths.push_back(width);
  }
  if (grid.lower.empty()) return widths;
  // A problem's name stands over all its modes; what is longer widens the last of them.
  for (std::size_t c = 1; c < grid.upper.size();) {
    std::size_t end = c + 1;
    std::size_t room = widths[c];
    while (end < grid.upper.size() && grid.upper[end].empty()) {
      room += kGap.size() + widths[end];
      ++end;
    }
    const std::size_t needed = display_width(grid.upper[c]);
    if (needed > room) widths[end - 1] += needed - room;
    c = end;
  }
  return widths;
}

std::size_t total_width(const Grid& grid) {
  std::size_t total = 0;
  for (const std::size_t width : widths_of(grid)) total += kGap.size() + width;
  return total;
}

std::string without_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// Names of problems over the first of their columns, flush left; all else flush right.
std::string headings(const Grid& grid, const std::vector<std::size_t>& widths) {
  const bool is_single = grid.lower.empty();
  std::string upper = std::string(kGap) + pad_right(grid.upper[0], widths[0]);
  std::string lower(display_width(upper), ' ');
  for (std::size_t c = 1; c < widths.size(); ++c) {
    if (is_single) {
      upper.append(kGap).append(pad_left(grid.upper[c], widths[c]));
      continue;
    }
    lower.append(kGap);
    if (!grid.upper[c].empty()) upper = pad_right(upper, display_width(lower)) + grid.upper[c];
    lower.append(pad_left(grid.lower[c], widths[c]));
  }
  return without_end(upper) + (is_single ? "" : without_end(lower));
}

/// What the intervals of the run are over and what they can find, or "".
std::string how_sure(const Report& report) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  int processes = 0;
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) {
      if (row.replication == Replication::kProcesses)
        processes = std::max(processes, row.replicates);
    }
    if (!table.noise) continue;
    least = std::min(least, table.noise->smallest_effect);
    most = std::max(most, table.noise->smallest_effect);
  }
  if (most == 0) return "";
  const std::string low = percent_text(least);
  const std::string high = percent_text(most);
  return fmt::format(
      "{} over {}; differences of {} are found in 4 of 5 runs.\n",
      processes > 0 ? "95% intervals" : "Intervals",
      processes > 0 ? fmt::format("{} processes", processes) : "the blocks of one process",
      low == high ? low : fmt::format("{} to {}", low, high));
}

/// "c29 is kernel=cpu-simd(head_planes=on)": names that a search has given, a line each.
std::string finalists_text(const Report& report) {
  std::set<std::string> lines;
  for (const SearchReport& search : report.searches) {
    for (const FinalistResult& finalist : search.finalists) {
      lines.insert(fmt::format("{} is {}\n", printable_line(finalist.name),
                               printable_line(finalist.description)));
    }
  }
  constexpr std::size_t kMost = 6;
  if (lines.size() > kMost) return "";  // of many problems: each has its own in the report
  return fmt::format("{}", fmt::join(lines, ""));
}

/// Why arms have no time, the most frequent reasons first, one line each.
std::vector<std::string> reasons_of(const Report& report) {
  std::vector<std::pair<std::string, int>> reasons;
  for (const Row& row : rows_of(report)) {
    const std::string& reason = row.record.reason;
    if (row.timed() || reason.empty()) continue;
    std::string line = fmt::format("{} is {}: {}", row.record.arm, row.verdict, first_line(reason));
    const auto found =
        std::ranges::find_if(reasons, [&](const auto& known) { return known.first == line; });
    if (found == reasons.end()) {
      reasons.emplace_back(std::move(line), 1);
    } else {
      ++found->second;
    }
  }
  std::ranges::stable_sort(reasons,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> lines;
  lines.reserve(reasons.size());
  for (const auto& [line, count] : reasons) {
    lines.push_back(count == 1 ? printable_line(line)
                               : fmt::format("{} ({} cells)", printable_line(line), count));
  }
  return lines;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

/// What the signs mean that a matrix has.
std::string key_of(const Matrix& matrix) {
  bool first = false;
  bool shared = false;
  bool open = false;
  bool ratio = false;
  for (const MatrixRow& row : matrix.rows) {
    for (const MatrixCell& cell : row.cells) {
      first = first || cell.place == Place::kFirst;
      shared = shared || cell.place == Place::kShared;
      open = open || cell.verdict == "undecided";
      ratio = ratio || (cell.ratio && !row.is_baseline);
    }
  }
  std::vector<std::string> parts;
  if (ratio && matrix.corner == "arm") parts.emplace_back("times the speed of the baseline");
  if (ratio && matrix.corner != "arm") parts.emplace_back("time without the factor / time with it");
  if (first) parts.emplace_back("* significantly the fastest");
  if (shared) parts.emplace_back("~ fastest, indistinguishable from others");
  if (open) parts.emplace_back("? the interval contains 1");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string matrix_text(const Matrix& matrix, std::size_t most_rows, std::size_t width,
                        bool colour) {
  Grid grid = whole(matrix);
  if (total_width(grid) > width) {
    Grid shorter = by_mode(matrix);
    if (total_width(shorter) < total_width(grid)) grid = std::move(shorter);
  }
  const std::vector<std::size_t> widths = widths_of(grid);
  std::string text = headings(grid, widths);
  if (colour) text = paint(text, fmt::emphasis::bold, true);
  // A line that says how many are left out must stand for two at least.
  const std::size_t rows = grid.rows.size();
  const std::size_t shown = rows <= most_rows ? rows : std::max<std::size_t>(most_rows, 2) - 1;
  for (std::size_t r = 0; r < shown; ++r) {
    const std::vector<Cell>& cells = grid.rows[r];
    std::string line = std::string(kGap) + pad_right(cells[0].text, widths[0]);
    for (std::size_t c = 1; c < widths.size(); ++c) {
      line.append(kGap).append(
          paint(pad_left(cells[c].text, widths[c]), style_of(cells[c].verdict), colour));
    }
    text += without_end(line);
  }
  if (shown < rows) text += fmt::format("  and {} more {}s\n", rows - shown, matrix.corner);
  return text;
}

std::string to_summary(const Report& report, bool colour) {
  constexpr std::size_t kWidth = 110;
  constexpr std::size_t kMostWarnings = 3;
  const Document document = document_of(report);
  std::string head = paint(document.title, fmt::emphasis::bold, colour) + "\n";
  if (!document.context.empty()) head += document.context + "\n";
  if (document.matrices.empty()) {  // a search without a confirmation has an answer all the same
    return head + "\n" + (document.answer.empty() ? document.nothing : document.answer) + "\n";
  }
  head += fmt::format("\n{}\n\n", document.answer);
  std::string tail;
  const Matrix& matrix = document.matrices.front();
  if (const std::string key = key_of(matrix); !key.empty()) tail += "  " + key + "\n";
  tail += finalists_text(report) + how_sure(report);
  if (const auto claims = claims_section({&report, 1})) {
    tail += fmt::format("Claims: {}\n", claims->headline);
  }
  if (const std::string counters = counters_sentence(report.counters); !counters.empty()) {
    tail += counters + "\n";
  }
  const std::size_t warnings = std::min(document.warnings.size(), kMostWarnings);
  for (std::size_t i = 0; i < warnings; ++i) {
    tail += paint("warning: ", style_of("wrong"), colour) + document.warnings[i] + "\n";
  }
  constexpr std::size_t kMostReasons = 3;
  const std::vector<std::string> reasons = reasons_of(report);
  for (std::size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i) {
    tail += reasons[i] + "\n";
  }
  if (reasons.size() > kMostReasons) {
    tail += fmt::format("and {} more reasons for cells without a time\n",
                        reasons.size() - kMostReasons);
  }
  constexpr std::size_t kHeadings = 2;
  const std::size_t used = lines_in(head) + lines_in(tail) + kHeadings;
  const std::size_t rows = kSummaryLines > used + 2 ? kSummaryLines - used : 2;
  return head + matrix_text(matrix, rows, kWidth, colour) + tail;
}

}  // namespace msda
