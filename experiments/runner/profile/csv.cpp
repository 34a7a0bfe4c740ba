#include "runner/profile/csv.hpp"

#include <algorithm>
#include <charconv>

#include "pattern.hpp"

namespace msda::profile {
namespace {

/// One row from `at` on, which moves behind it. False at the end of the text, or when the text ends
/// inside quotes.
bool read_row(std::string_view text, std::size_t& at, std::vector<std::string>& row) {
  row.clear();
  if (at >= text.size()) return false;
  std::string cell;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"') {
        cell += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        cell += '"';
        ++at;
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.push_back(std::move(cell));
      cell.clear();
    } else if (c == '\n') {
      ++at;
      row.push_back(std::move(cell));
      return true;
    } else if (c != '\r') {
      cell += c;
    }
  }
  row.push_back(std::move(cell));
  return !quoted;
}

bool is_empty(const std::vector<std::string>& row) { return row.size() == 1 && row[0].empty(); }

/// Where the table's header line begins; npos without one.
std::size_t find_header(std::string_view text, std::string_view first_header) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t next = at;
    std::vector<std::string> row;
    if (read_row(text, next, row) && row.size() > 1 && row[0] == first_header) return at;
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

std::optional<std::size_t> CsvTable::column_with(std::string_view part) const {
  const auto found = std::find_if(header.begin(), header.end(), [&](const std::string& name) {
    return name.find(part) != std::string::npos;
  });
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

CsvTable parse_csv(std::string_view text, std::string_view first_header) {
  CsvTable table;
  std::size_t at = find_header(text, first_header);
  if (at == std::string_view::npos || !read_row(text, at, table.header)) return table;
  std::vector<std::string> row;
  while (at < text.size()) {
    if (!read_row(text, at, row)) {
      table.truncated = true;
      break;
    }
    if (is_empty(row)) break;
    if (row.size() != table.header.size()) {
      table.truncated = true;
      continue;
    }
    table.rows.push_back(row);
  }
  return table;
}

NumberStyle number_style(const CsvTable& table) {
  // A comma behind points, or one that does not stand before exactly three digits, parts a
  // fraction.
  static const Pattern kComma(R"(-?\d{1,3}(\.\d{3})+,\d+|-?\d+,(\d{1,2}|\d{4,}))");
  static const Pattern kPoint(R"(-?\d{1,3}(,\d{3})+\.\d+|-?\d+\.(\d{1,2}|\d{4,}))");
  std::size_t commas = 0;
  std::size_t points = 0;
  for (const std::vector<std::string>& row : table.rows) {
    for (const std::string& cell : row) {
      if (kComma.matches(cell)) ++commas;
      if (kPoint.matches(cell)) ++points;
    }
  }
  return commas > points ? NumberStyle::kCommaFraction : NumberStyle::kPointFraction;
}

std::optional<double> parse_number(std::string_view text, NumberStyle style) {
  const char group = style == NumberStyle::kPointFraction ? ',' : '.';
  std::string plain;
  for (const char c : text) {
    if (c == group) continue;
    plain += c == ',' ? '.' : c;
  }
  double value = 0;
  const char* end = plain.data() + plain.size();
  const auto [stop, error] = std::from_chars(plain.data(), end, value);
  if (error != std::errc() || stop != end || plain.empty()) return std::nullopt;
  return value;
}

}  // namespace msda::profile
