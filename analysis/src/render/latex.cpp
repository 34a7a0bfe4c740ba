#include <string_view>

#include <fmt/format.h>

#include "render/layout.hpp"

namespace msda {
namespace {

/// Characters that mean something in LaTeX are set literally.
std::string latex_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\': result += "\\textbackslash{}"; break;
      case '~': result += "\\textasciitilde{}"; break;
      case '^': result += "\\textasciicircum{}"; break;
      case '<': result += "\\textless{}"; break;
      case '>': result += "\\textgreater{}"; break;
      case '|': result += "\\textbar{}"; break;
      case '"': result += "\\textquotedbl{}"; break;
      case '[':
      case ']':
        // In braces: after "\\" a bracket would be read as its argument.
        result += fmt::format("{{{}}}", c);
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        result += '\\';
        result += c;
        break;
      default: result += c;
    }
  }
  return result;
}

template <class Texts, class ToText>
std::string latex_row(const Texts& texts, const ToText& to_text) {
  std::string line;
  for (const auto& text : texts) line += (line.empty() ? "" : " & ") + to_text(text);
  return line + " \\\\\n";
}

std::string latex_table(const Layout& layout) {
  std::string columns;
  for (const Column& column : layout.columns) columns += column.number ? 'r' : 'l';
  std::string text = fmt::format(
      "\n\\begin{{table}}\n\\centering\n\\caption{{{}. {}}}\n\\begin{{tabular}}{{{}}}\n\\toprule\n",
      latex_text(layout.title), latex_text(layout.headline), columns);
  text += latex_row(layout.columns, [](const Column& column) { return latex_text(column.title); });
  text += "\\midrule\n";
  for (const auto& row : layout.rows) text += latex_row(row, latex_text);
  return text + "\\bottomrule\n\\end{tabular}\n\\end{table}\n";
}

/// A comment ends with its line.
std::string comment(const std::string& text) {
  return text.empty() ? "" : fmt::format("% {}\n", text);
}

}  // namespace

std::string as_latex(const Document& document) {
  std::string text = comment(document.title) + comment(document.context) +
                     comment("Needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}.");
  if (document.layouts.empty()) return text + comment(kNoTables);
  for (const Layout& layout : document.layouts) text += latex_table(layout);
  return text;
}

std::string to_latex(const Report& report) { return as_latex(document_of(report)); }

}  // namespace msda
