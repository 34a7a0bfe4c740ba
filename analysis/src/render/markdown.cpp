#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/document.hpp"
#include "render/formats.hpp"

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

std::string set_table(const Layout& layout) {
  std::string text = set_row(layout.columns, [](const Column& c) { return escaped(c.title); });
  text += set_row(layout.columns, [](const Column& c) { return c.number ? "---:" : ":---"; });
  for (const auto& row : layout.rows) text += set_row(row, escaped);
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

std::string set_section(const Layout& layout) {
  std::string text =
      fmt::format("\n## {}\n\n{}\n\n", escaped(layout.title), escaped(layout.headline));
  text += set_table(layout);
  for (std::size_t i = 0; i < layout.reasons.size(); ++i) {
    text += reason_item(i + 1, layout.reasons[i]);
  }
  for (const std::string& remark : layout.remarks) text += fmt::format("\n{}\n", escaped(remark));
  return text;
}

/// A ratio in bold where it is surely the best of its column, in italics where it shares that
/// place.
std::string matrix_cell(const MatrixCell& cell) {
  std::string text = cell.text.empty() ? "-" : escaped(cell.text);
  switch (cell.place) {
    case Place::kFirst: return fmt::format("**{}**", text);
    case Place::kShared: return fmt::format("*{}*", text);
    case Place::kNone: break;
  }
  return text;
}

std::string column_name(const MatrixColumn& column) {
  return fmt::format("{}, {}", escaped(column.problem), name_of(column.mode));
}

std::string matrix_header(const std::string& corner, const std::vector<std::string>& names) {
  std::string line = "| :--- |";
  for (std::size_t i = 0; i < names.size(); ++i) line += " ---: |";
  return fmt::format("| {} | {} |\n{}\n", corner, fmt::join(names, " | "), line);
}

/// Arms, or factors, down and problems across.
std::string upright_matrix(const Matrix& matrix) {
  std::vector<std::string> names;
  for (const MatrixColumn& column : matrix.columns) names.push_back(column_name(column));
  std::string text = matrix_header(matrix.corner, names);
  for (const MatrixRow& row : matrix.rows) {
    text += fmt::format("| {} |", escaped(row.name));
    for (const MatrixCell& cell : row.cells) text += fmt::format(" {} |", matrix_cell(cell));
    text += "\n";
  }
  return text;
}

/// Problems down and arms, or factors, across.
std::string turned_matrix(const Matrix& matrix) {
  std::vector<std::string> names;
  for (const MatrixRow& row : matrix.rows) names.push_back(escaped(row.name));
  std::string text = matrix_header("problem", names);
  for (std::size_t i = 0; i < matrix.columns.size(); ++i) {
    text += fmt::format("| {} |", column_name(matrix.columns[i]));
    for (const MatrixRow& row : matrix.rows)
      text += fmt::format(" {} |", matrix_cell(row.cells[i]));
    text += "\n";
  }
  return text;
}

/// The longer side goes down the page.
std::string set_matrix(const Matrix& matrix) {
  std::string text = fmt::format("\n## {}\n\n", escaped(matrix.title));
  const bool is_wide = matrix.columns.size() > matrix.rows.size();
  text += is_wide ? turned_matrix(matrix) : upright_matrix(matrix);
  if (matrix.corner == "arm") {
    text += "\nBold: surely the fastest; italics: not told apart from it.\n";
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
  if (document.layouts.empty()) return text + "\n" + document.nothing + "\n";
  if (document.layouts.size() > 1 && !document.answer.empty()) {
    text += fmt::format("\n{}\n", escaped(document.answer));
  }
  for (const Matrix& matrix : document.matrices) {
    if (matrix.columns.size() > 1) text += set_matrix(matrix);
  }
  for (const Layout& layout : document.layouts) text += set_section(layout);
  if (document.legend.empty()) return text;
  return text + fmt::format("\n{}\n", escaped(document.legend));
}

std::string to_markdown(const Report& report) { return as_markdown(document_of(report)); }

}  // namespace msda
