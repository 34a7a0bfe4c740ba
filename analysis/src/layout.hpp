// A report's words and numbers as cells of text: what the terminal and Markdown show alike.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report.hpp"

namespace msda {

struct Column {
  std::string title;
  bool number = true;  ///< set flush right
};

/// A table ready to be set. Each row has one cell for each column, and the last column is the
/// verdict.
struct Layout {
  std::string title;     ///< "captured-decoder, warm"
  std::string headline;  ///< in words
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> verdicts;  ///< of each row, without its footnote mark
  std::vector<std::string> reasons;   ///< footnote i + 1; may have several lines
  std::vector<std::string> remarks;   ///< sentences: what the intervals are over, what ended early
  /// Whether the headline belongs to the answer that a page begins with.
  bool answers = true;
  /// What the rows are of, inside the report: one of these, or neither.
  const Table* table = nullptr;
  const AblationTable* effects = nullptr;
};

Layout lay_out(const Table& table);

/// Effects of each problem and over problems, then the regimes; empty without them.
std::vector<Layout> ablation_layouts(const Report& report);

/// All tables of a report in order: one for each problem and mode, the pre-passes, effects and
/// regimes, the claims.
std::vector<Layout> layouts_of(const Report& report);

/// Number of the footnote with this text, which is added to `reasons` when it is new: rows with one
/// reason share it.
std::size_t footnote_number(std::vector<std::string>& reasons, const std::string& reason);

/// The run's name, and its summary where it has one.
std::string title_of(const Report& report);
/// Device, program, time and status of the run, as far as the manifest has them.
std::string context_of(const Report& report);
/// How the run's time was spent, and what the plan left out before any cell ran; one sentence each.
std::vector<std::string> notes_of(const Report& report);
/// What the columns mean. Empty for a report without tables.
std::string legend_of(const Report& report);

/// Text of a report without tables.
inline constexpr const char* kNoTables = "No cell has finished: there is nothing to compare yet.";

/// The first lines of a reason; a compiler's log can be long, and the whole of it is in
/// records.jsonl.
std::string shortened(const std::string& reason);

}  // namespace msda
