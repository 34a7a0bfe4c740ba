// A report on one page: what a person asks first, the rest by name.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/document.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

/// Of a matrix and of a figure: more arms or problems nobody compares at a glance.
constexpr std::size_t kMostOfAMatrix = 20;
constexpr std::size_t kLeastOfAMatrix = 12;  ///< where tables below would fill the page

/// The name, and on how many of the columns the arm has a ratio where it is not all.
std::string bar_name(const MatrixRow& row) {
  const auto there = std::ranges::count_if(
      row.cells, [](const MatrixCell& cell) { return cell.ratio.has_value(); });
  std::string name = row.name;
  if (!row.is_baseline && there < std::ssize(row.cells)) {
    name += fmt::format(", {} of {}", there, row.cells.size());
  }
  std::ranges::replace(name, '"', '\'');
  return name;
}

/// Bars of what each arm is worth on average over all columns, as Mermaid draws them; "" where
/// there are not two.
std::string bars_of(const Matrix& matrix) {
  std::vector<std::string> names;
  std::vector<std::string> ratios;
  double largest = 1;
  bool has_gaps = false;
  for (const MatrixRow& row : matrix.rows) {
    const std::optional<double> ratio = row.is_baseline ? 1.0 : mean_ratio(row);
    if (!ratio || names.size() == kMostOfAMatrix) continue;
    const std::string name = bar_name(row);
    has_gaps = has_gaps || name != row.name;
    names.push_back(fmt::format("\"{}\"", name));
    ratios.push_back(short_ratio(*ratio));
    largest = std::max(largest, *ratio);
  }
  if (names.size() < 2) return "";
  return fmt::format(
      "xychart-beta horizontal\n  title \"Times the speed of the baseline, geometric mean{}\"\n"
      "  x-axis [{}]\n  y-axis 0 --> {}\n  bar [{}]\n",
      has_gaps ? " of the problems that an arm has" : "", fmt::join(names, ", "),
      short_ratio(largest), fmt::join(ratios, ", "));
}

/// Keeps the first rows and columns; returns how many lines of the page they take.
std::size_t cut(Matrix& matrix, std::size_t most) {
  const std::size_t all = std::max(matrix.rows.size(), matrix.columns.size());
  if (all > most) matrix.title += fmt::format("; the first {} of {}", most, all);
  if (matrix.rows.size() > most) matrix.rows.resize(most);
  if (matrix.columns.size() > most) {
    matrix.columns.resize(most);
    for (MatrixRow& row : matrix.rows) row.cells.resize(most);
  }
  return std::max(matrix.rows.size(), matrix.columns.size());
}

/// What a person asks first: what is of all problems, then each problem, then how the run went.
int rank_of(const Section& section) {
  if (section.spare) return 2;
  return section.of_all_problems ? 0 : 1;
}

/// How many lines a matrix may have, so that the first table below it has room.
std::size_t most_of_a_matrix(const Document& document, std::size_t lines) {
  const std::size_t wanted = document.sections.empty() ? 0 : document.sections.front().rows.size();
  return std::clamp(lines - std::min(lines, wanted), kLeastOfAMatrix, kMostOfAMatrix);
}

void cut(Section& section, std::size_t lines) {
  section.remarks.push_back(fmt::format("The first {} of {} lines.", lines, section.rows.size()));
  section.rows.resize(lines);
  section.verdicts.resize(lines);
}

}  // namespace

Document folded(Document document, std::size_t most_lines) {
  for (const Matrix& matrix : document.matrices) {
    if (matrix.corner == "arm") document.figure = bars_of(matrix);
  }
  std::ranges::stable_sort(document.sections, {}, rank_of);
  const std::size_t of_a_matrix = most_of_a_matrix(document, most_lines);
  std::size_t room = most_lines;
  for (Matrix& matrix : document.matrices) {
    const std::size_t taken = cut(matrix, of_a_matrix);
    if (matrix.columns.size() > 1) room -= std::min(room, taken);  // one column is not shown
  }
  std::vector<Section> kept;
  std::vector<std::string> left_out;
  for (Section& section : document.sections) {
    const bool is_first = rank_of(section) == 0 || kept.empty();
    if (section.rows.size() > room && is_first && room > 0) cut(section, room);
    if (section.rows.size() > room) {
      left_out.push_back(section.title);
      continue;
    }
    room -= section.rows.size();
    kept.push_back(std::move(section));
  }
  document.sections = std::move(kept);
  if (!left_out.empty()) {
    constexpr std::size_t kNamed = 6;
    const std::size_t more = left_out.size() - std::min(left_out.size(), kNamed);
    left_out.resize(left_out.size() - more);
    document.notes.push_back(fmt::format(
        "On this page are {} lines of tables at most. Tables that are left out: {}{}. `msda "
        "report` makes all of them of the archive beside this page.",
        most_lines, fmt::join(left_out, "; "), more > 0 ? fmt::format("; and {} more", more) : ""));
  }
  return document;
}

}  // namespace msda
