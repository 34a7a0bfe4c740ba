// Tables as Nsight's command lines print them: RFC 4180 among lines of other text, with numbers as
// the system's language writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace msda::profile {

struct CsvTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  bool truncated = false;  ///< the text ended inside a row, which is left out

  /// First column of that name; nullopt without one.
  std::optional<std::size_t> column(std::string_view name) const;
  /// First column whose name contains `part`.
  std::optional<std::size_t> column_with(std::string_view part) const;
};

/// The table whose header's first cell is `first_header`; lines before it ("==PROF== ...") are
/// passed over, and the table ends at an empty line or the end of the text. Rows that are shorter
/// than the header are left out as truncated. An empty header when there is no such table.
CsvTable parse_csv(std::string_view text, std::string_view first_header);

/// How a text writes numbers: which of '.' and ',' parts the fraction off.
enum class NumberStyle { kPointFraction, kCommaFraction };

/// What all the cells of the tables say together; "1.234" alone fits both, and counts as a
/// fraction.
NumberStyle number_style(const CsvTable& table);
/// "1,234.5" or "1.234,5" by the style; nullopt for what is no number.
std::optional<double> parse_number(std::string_view text, NumberStyle style);

}  // namespace msda::profile
