// Cells and columns of CSV files (RFC 4180).
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace msda {

/// Text as a cell: one with a separator, quote or line end stands in quotes, its quotes doubled.
/// One that a spreadsheet would take for a formula, because it begins with = + - or @ (or a tab or
/// line end before them), gets an apostrophe in front, which spreadsheets take for "this is text".
std::string csv_field(std::string_view text);

/// The shortest text that reads back as the same number.
inline std::string csv_field(double value) {
  return std::isnan(value) ? "NaN" : fmt::format("{}", value);
}
inline std::string csv_field(std::int64_t value) { return fmt::format("{}", value); }
inline std::string csv_field(int value) { return fmt::format("{}", value); }
inline std::string csv_field(std::same_as<bool> auto value) { return value ? "true" : "false"; }
/// Empty where there is none.
template <class Value>
std::string csv_field(const std::optional<Value>& value) {
  return value ? csv_field(*value) : "";
}

/// A column: its name in the header line, and the cell of a line.
template <class Line>
struct CsvColumn {
  std::string_view name;
  std::string (*cell)(const Line& line);
};

inline constexpr std::string_view kCsvLineEnd = "\r\n";

template <class Line>
std::string csv_header(std::span<const CsvColumn<Line>> columns) {
  std::string text;
  for (const CsvColumn<Line>& column : columns) {
    if (!text.empty()) text += ',';
    text += column.name;
  }
  return text.append(kCsvLineEnd);
}

template <class Line>
void append_csv_line(std::string& text, std::span<const CsvColumn<Line>> columns,
                     const Line& line) {
  bool is_first = true;
  for (const CsvColumn<Line>& column : columns) {
    if (!is_first) text += ',';
    is_first = false;
    text += column.cell(line);
  }
  text += kCsvLineEnd;
}

}  // namespace msda
