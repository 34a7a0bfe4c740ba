#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "render/document.hpp"
#include "render/formats.hpp"
#include "render/text/summary.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

std::vector<std::size_t> widths_of(const Section& section) {
  std::vector<std::size_t> widths;
  for (const Column& column : section.columns) widths.push_back(display_width(column.title));
  for (const auto& row : section.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], display_width(row[c]));
    }
  }
  return widths;
}

/// The last column is not padded, so that no line ends in spaces.
std::string set_cell(const std::string& text, const Column& column, std::size_t width, bool last) {
  if (column.number) return pad_left(text, width);
  return last ? text : pad_right(text, width);
}

std::string set_table(const Section& section, bool colour) {
  constexpr std::string_view kGap = "  ";
  const std::vector<std::size_t> widths = widths_of(section);
  const std::size_t last = section.columns.size() - 1;
  std::string header;
  for (std::size_t c = 0; c <= last; ++c) {
    const Column& column = section.columns[c];
    header.append(c == 0 ? "" : kGap).append(set_cell(column.title, column, widths[c], c == last));
  }
  std::string text = "  " + paint(header, fmt::emphasis::bold, colour) + "\n";
  for (std::size_t r = 0; r < section.rows.size(); ++r) {
    text += "  ";
    for (std::size_t c = 0; c <= last; ++c) {
      const std::string cell =
          set_cell(section.rows[r][c], section.columns[c], widths[c], c == last);
      if (c > 0) text += kGap;
      text += c == last ? paint(cell, style_of(section.verdicts[r]), colour) : cell;
    }
    text += "\n";
  }
  return text;
}

/// Further lines of a reason stand below its first one.
std::string set_reason(std::size_t number, const std::string& reason) {
  std::string text = fmt::format("  [{}] ", number);
  for (const char c : shortened(reason)) {
    text += c;
    if (c == '\n') text += "      ";
  }
  return text + "\n";
}

std::string set_section(const Section& section, bool colour) {
  std::string text = fmt::format("\n{}\n{}\n\n", paint(section.title, fmt::emphasis::bold, colour),
                                 section.headline);
  text += set_table(section, colour);
  for (std::size_t i = 0; i < section.reasons.size(); ++i) {
    text += set_reason(i + 1, section.reasons[i]);
  }
  for (const std::string& remark : section.remarks) text += remark + "\n";
  return text;
}

/// All matrices that say more than the one table below them.
std::string set_matrices(const Document& document, bool colour) {
  constexpr std::size_t kMostRows = 40;
  constexpr std::size_t kWidth = 140;
  std::string text;
  for (const Matrix& matrix : document.matrices) {
    if (matrix.columns.size() < 2) continue;
    text += "\n" + paint(matrix.title, fmt::emphasis::bold, colour) + "\n" +
            matrix_text(matrix, kMostRows, kWidth, colour);
  }
  return text;
}

}  // namespace

std::string as_terminal(const Document& document, bool colour) {
  std::string text = paint(document.title, fmt::emphasis::bold, colour) + "\n";
  if (!document.context.empty()) text += document.context + "\n";
  for (const std::string& warning : document.warnings) {
    text += paint("warning: ", style_of("wrong"), colour) + warning + "\n";
  }
  for (const std::string& note : document.notes) text += "note: " + note + "\n";
  if (document.sections.empty()) return text + "\n" + document.nothing + "\n";
  if (document.sections.size() > 1 && !document.answer.empty()) {
    text += "\n" + document.answer + "\n";
  }
  text += set_matrices(document, colour);
  for (const Section& section : document.sections) text += set_section(section, colour);
  return document.legend.empty() ? text : text + "\n" + document.legend + "\n";
}

std::string to_terminal(const Report& report, bool colour) {
  return as_terminal(document_of(report), colour);
}

std::string to_answer(const Report& report) {
  const Document document = document_of(report);
  constexpr std::size_t kColumns = 100;
  return wrapped(document.answer, kColumns) + "\n" + set_matrices(document, false);
}

}  // namespace msda
