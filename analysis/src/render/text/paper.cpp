// The two tables that a paper prints: arms against problems, and factors against problems.
#include <algorithm>
#include <cctype>
#include <functional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/document.hpp"
#include "render/formats.hpp"
#include "render/text/latex.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

/// Lines that one page holds.
constexpr std::size_t kLines = 40;

using PaperLines = std::vector<std::vector<std::string>>;

/// A ratio in bold where it is significantly the best of its column, in italics where it is
/// indistinguishable from the best.
std::string paper_cell(const MatrixCell& cell) {
  const std::string text = cell.text.empty() ? "--" : latex_text(cell.text);
  switch (cell.place) {
    case Place::kFirst: return fmt::format("\\textbf{{{}}}", text);
    case Place::kShared: return fmt::format("\\textit{{{}}}", text);
    case Place::kNone: break;
  }
  return text;
}

/// The longer side of a matrix goes down the page.
bool is_turned(const Matrix& matrix) { return matrix.columns.size() > matrix.rows.size(); }

/// Of a column's problem, and where several modes go down the page, the mode too.
std::string column_text(const Matrix& matrix, const MatrixColumn& column) {
  const std::string problem = latex_text(column.problem);
  if (!matrix.has_several_modes()) return problem;
  const std::string mode(name_of(column.mode));
  return is_turned(matrix) ? problem + ", " + mode : mode;
}

/// A heading over the modes of each problem; "" where columns name their problems themselves.
std::string problems_line(const Matrix& matrix) {
  if (is_turned(matrix) || !matrix.has_several_modes()) return "";
  std::string names;
  std::string rules;
  for (std::size_t first = 0; first < matrix.columns.size();) {
    std::size_t end = first + 1;
    while (end < matrix.columns.size() && matrix.goes_on(end)) ++end;
    names += fmt::format(" & \\multicolumn{{{}}}{{c}}{{{}}}", end - first,
                         latex_text(matrix.columns[first].problem));
    rules += fmt::format("\\cmidrule(lr){{{}-{}}}", first + 2, end + 1);
    first = end;
  }
  return names + " \\\\\n" + rules + "\n";
}

PaperLines grid_of(const Matrix& matrix) {
  PaperLines grid{{matrix.corner}};
  for (const MatrixColumn& column : matrix.columns) {
    grid[0].push_back(column_text(matrix, column));
  }
  for (const MatrixRow& row : matrix.rows) {
    std::vector<std::string>& line = grid.emplace_back(1, latex_text(row.name));
    for (const MatrixCell& cell : row.cells) line.push_back(paper_cell(cell));
  }
  if (!is_turned(matrix)) return grid;
  PaperLines turned(grid[0].size());
  for (const auto& line : grid) {
    for (std::size_t i = 0; i < line.size(); ++i) turned[i].push_back(line[i]);
  }
  turned[0][0] = "problem";
  return turned;
}

std::string line_of(const std::vector<std::string>& cells) {
  return fmt::format("{} \\\\\n", fmt::join(cells, " & "));
}

/// Lines [begin, end) of a grid below its headings. \msdafit shrinks what is wider than the text.
std::string paper_table(const PaperLines& grid, const std::string& over, std::size_t begin,
                        std::size_t end, const std::string& caption, const std::string& label) {
  std::string text = fmt::format(
      "\n\\begin{{table*}}[tp]\n\\centering\\footnotesize\n\\caption{{{}}}\\label{{{}}}\n"
      "\\msdafit{{\\begin{{tabular}}{{@{{}}l{}@{{}}}}\n\\toprule\n",
      caption, label, std::string(grid[0].size() - 1, 'r'));
  text += over + line_of(grid[0]) + "\\midrule\n";
  for (std::size_t line = begin; line < end; ++line) text += line_of(grid[line]);
  return text + "\\bottomrule\n\\end{tabular}}\n\\end{table*}\n";
}

void append_matrix(const Matrix& matrix, const std::string& caption, const std::string& label,
                   std::string& text) {
  const PaperLines grid = grid_of(matrix);
  for (std::size_t begin = 1; begin < grid.size(); begin += kLines) {
    const std::size_t end = std::min(grid.size(), begin + kLines);
    const bool is_first = begin == 1;
    text += paper_table(grid, problems_line(matrix), begin, end,
                        caption + (is_first ? "" : " (continued)"),
                        is_first ? label : fmt::format("{}-{}", label, begin / kLines + 1));
  }
}

/// "On GPU X. Above 1 is faster. ..."
std::string caption_of(const Matrix& matrix, const Report& report) {
  const auto& device = report.manifest.device;
  const std::string where =
      device && !device->name.empty() ? " on " + latex_text(printable_line(device->name)) : "";
  if (matrix.corner == "arm") {
    return fmt::format(
        "Speed of each arm over the baseline{}; the baseline's entries are its median times. Bold: "
        "significantly the fastest of its problem; italic: fastest and indistinguishable from "
        "others; ?: the 95\\% interval contains 1.",
        where);
  }
  const std::size_t comma = matrix.title.find(", ");  // "Factors: speed-up, averaged over ..."
  const std::string view = comma == std::string::npos ? "" : matrix.title.substr(comma + 2);
  return fmt::format(
      "Speed-up by each factor{}, {}: time without the factor over time with it. ?: not "
      "significant "
      "(Holm, 5\\%).",
      where, latex_text(view));
}

/// What a label may have of a name: LaTeX takes a % for the end of the line.
std::string label_of(std::string name) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  std::ranges::replace_if(name, std::not_fn(is_plain), '-');
  return name;
}

}  // namespace

std::string to_paper(const Report& report) {
  const Document document = document_of(report);
  std::string text =
      latex_comment(document.title) + latex_comment(document.context) +
      latex_comment(document.answer) +
      latex_comment("Needs \\usepackage{booktabs,graphicx} and \\usepackage[T1]{fontenc}.") +
      "\\providecommand{\\msdafit}[1]{\\sbox0{#1}%\n"
      "  \\ifdim\\wd0>\\textwidth\\resizebox{\\textwidth}{!}{\\usebox0}\\else\\usebox0\\fi}\n";
  if (document.matrices.empty()) return text + latex_comment(document.nothing);
  for (const Matrix& matrix : document.matrices) {
    append_matrix(matrix, caption_of(matrix, report),
                  "tab:" + label_of(name_of(report)) + "-" + matrix.corner + "s", text);
  }
  return text;
}

}  // namespace msda
