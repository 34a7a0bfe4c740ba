#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/document.hpp"
#include "render/formats.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

/// Characters that mean something in Markdown or HTML are set literally.
std::string escaped(std::string_view text) {
  constexpr std::string_view kSpecial = R"(\`*_{}[]<>#|~&)";
  std::string result;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

template <class Texts, class ToText>
std::string set_row(const Texts& texts, const ToText& to_text) {
  std::string line = "|";
  for (const auto& text : texts) line += fmt::format(" {} |", to_text(text));
  return line + "\n";
}

std::string set_table(const Section& section) {
  std::string text = set_row(section.columns, [](const Column& c) { return escaped(c.title); });
  text += set_row(section.columns, [](const Column& c) { return c.number ? "---:" : ":---"; });
  for (const auto& row : section.rows) text += set_row(row, escaped);
  return text;
}

/// A fence longer than every run of backticks inside.
std::string fence_for(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

std::string reason_item(std::size_t number, const std::string& reason) {
  const std::string text = shortened(reason);
  if (text.find('\n') == std::string::npos) {
    return fmt::format("\n\\[{}\\] {}\n", number, escaped(text));
  }
  const std::string fence = fence_for(text);
  return fmt::format("\n\\[{}\\]\n\n{}text\n{}\n{}\n", number, fence, text, fence);
}

std::string set_section(const Section& section) {
  std::string text =
      fmt::format("\n## {}\n\n{}\n\n", escaped(section.title), escaped(section.headline));
  text += set_table(section);
  for (std::size_t i = 0; i < section.reasons.size(); ++i) {
    text += reason_item(i + 1, section.reasons[i]);
  }
  for (const std::string& remark : section.remarks) text += fmt::format("\n{}\n", escaped(remark));
  return text;
}

/// A ratio in bold where it is significantly the best of its column, in italics where it shares
/// that place.
std::string matrix_cell(const MatrixCell& cell) {
  std::string text = cell.text.empty() ? "-" : escaped(cell.text);
  switch (cell.place) {
    case Place::kFirst: return fmt::format("**{}**", text);
    case Place::kShared: return fmt::format("*{}*", text);
    case Place::kNone: break;
  }
  return text;
}

std::vector<std::vector<std::string>> turned(const std::vector<std::vector<std::string>>& grid) {
  std::vector<std::vector<std::string>> result(grid[0].size());
  for (const auto& line : grid) {
    for (std::size_t i = 0; i < line.size(); ++i) result[i].push_back(line[i]);
  }
  return result;
}

/// Arms, or factors, down and problems across, or the other way round: the longer side goes down
/// the page.
std::string set_matrix(const Matrix& matrix) {
  const bool is_turned = matrix.columns.size() > matrix.rows.size();
  std::vector<std::vector<std::string>> grid{{matrix.corner}};
  for (const MatrixColumn& column : matrix.columns) {
    grid[0].push_back(fmt::format("{}, {}", escaped(column.problem), name_of(column.mode)));
  }
  for (const MatrixRow& row : matrix.rows) {
    std::vector<std::string>& line = grid.emplace_back(1, escaped(row.name));
    for (const MatrixCell& cell : row.cells) line.push_back(matrix_cell(cell));
  }
  if (is_turned) {
    grid = turned(grid);
    grid[0][0] = "problem";
  }
  const auto as_it_is = [](const std::string& text) { return text; };
  std::string text =
      fmt::format("\n## {}\n\n{}| :--- |", escaped(matrix.title), set_row(grid[0], as_it_is));
  for (std::size_t i = 1; i < grid[0].size(); ++i) text += " ---: |";
  text += "\n";
  for (std::size_t i = 1; i < grid.size(); ++i) text += set_row(grid[i], as_it_is);
  if (matrix.corner == "arm") {
    text +=
        "\nBold: significantly the fastest; italics: fastest, and indistinguishable from others.\n";
  }
  return text;
}

}  // namespace

std::string as_markdown(const Document& document) {
  std::string text = fmt::format("# {}\n", escaped(document.title));
  if (!document.context.empty()) text += fmt::format("\n{}\n", escaped(document.context));
  for (const std::string& warning : document.warnings) {
    text += fmt::format("\n**Warning:** {}\n", escaped(warning));
  }
  for (const std::string& note : document.notes) {
    text += fmt::format("\nNote: {}\n", escaped(note));
  }
  if (document.sections.empty()) return text + "\n" + document.nothing + "\n";
  const bool is_said_below =
      document.sections.size() == 1 && document.sections.front().headline == document.answer;
  if (!is_said_below && !document.answer.empty()) {
    for (const std::string& line : lines_of(document.answer)) {
      text += fmt::format("\n{}\n", escaped(line));
    }
  }
  if (!document.figure.empty()) text += "\n```mermaid\n" + document.figure + "```\n";
  for (const Matrix& matrix : document.matrices) {
    if (matrix.columns.size() > 1) text += set_matrix(matrix);
  }
  for (const Section& section : document.sections) text += set_section(section);
  if (document.legend.empty()) return text;
  return text + fmt::format("\n{}\n", escaped(document.legend));
}

std::string to_markdown(const Report& report) { return as_markdown(document_of(report)); }

std::string to_page(const Report& report) {
  return as_markdown(folded(document_of(report), kPageLines));
}

}  // namespace msda
