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

/// Bars of what each arm is worth on average over all columns, as Mermaid draws them; "" where
/// there are not two.
std::string bars_of(const Matrix& matrix) {
  std::vector<std::string> names;
  std::vector<std::string> ratios;
  double largest = 1;
  for (const MatrixRow& row : matrix.rows) {
    const std::optional<double> ratio = row.is_baseline ? 1.0 : mean_ratio(row);
    if (!ratio || names.size() == kMostOfAMatrix) continue;
    std::string name = row.name;
    std::ranges::replace(name, '"', '\'');
    names.push_back("\"" + name + "\"");
    ratios.push_back(short_ratio(*ratio));
    largest = std::max(largest, *ratio);
  }
  if (names.size() < 2) return "";
  return fmt::format(
      "xychart-beta horizontal\n  title \"Times the speed of the baseline, geometric mean\"\n"
      "  x-axis [{}]\n  y-axis 0 --> {}\n  bar [{}]\n",
      fmt::join(names, ", "), short_ratio(largest), fmt::join(ratios, ", "));
}

/// Keeps the first rows and columns; returns how many lines of the page they take.
std::size_t cut(Matrix& matrix) {
  const std::size_t all = std::max(matrix.rows.size(), matrix.columns.size());
  if (all > kMostOfAMatrix) {
    matrix.title += fmt::format("; the first {} of {}", kMostOfAMatrix, all);
  }
  if (matrix.rows.size() > kMostOfAMatrix) matrix.rows.resize(kMostOfAMatrix);
  if (matrix.columns.size() > kMostOfAMatrix) {
    matrix.columns.resize(kMostOfAMatrix);
    for (MatrixRow& row : matrix.rows) row.cells.resize(kMostOfAMatrix);
  }
  return std::max(matrix.rows.size(), matrix.columns.size());
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
  std::size_t room = most_lines;
  for (Matrix& matrix : document.matrices) room -= std::min(room, cut(matrix));
  std::ranges::stable_partition(document.sections,
                                [](const Section& one) { return one.of_all_problems; });
  std::vector<Section> kept;
  std::vector<std::string> left_out;
  for (Section& section : document.sections) {
    const bool is_first = section.of_all_problems || kept.empty();
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
    document.notes.push_back(fmt::format(
        "On this page are {} lines of tables at most. Tables that are left out: {}. `msda report` "
        "makes all of them of the archive beside this page.",
        most_lines, fmt::join(left_out, "; ")));
  }
  return document;
}

}  // namespace msda
