// A report's words and numbers as cells of text: what the terminal and Markdown show alike.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/report.hpp"

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
  /// What the rows are of, inside the report: one of these, or none.
  const Table* table = nullptr;
  const AblationTable* effects = nullptr;
  const PooledFamily* pooled = nullptr;
  const SearchReport* search = nullptr;
};

Layout lay_out(const Table& table);

/// Effects of each problem and over problems, then the regimes; empty without them.
std::vector<Layout> ablation_layouts(const Report& report);

/// All tables of a report in order: one for each problem and mode, the pre-passes, effects and
/// regimes, the claims.
std::vector<Layout> layouts_of(const Report& report);

/// Everything that a report or a table over several runs says, ready to be set.
struct Document {
  std::string title;
  std::string context;             ///< device, program, time; or ""
  std::vector<std::string> notes;  ///< one sentence or run each
  std::vector<Layout> layouts;     ///< empty: no cell has finished
  std::string legend;
};

/// Its layouts point into the report.
Document document_of(const Report& report);

std::string as_terminal(const Document& document, bool colour);
std::string as_markdown(const Document& document);
std::string as_latex(const Document& document);

/// Number of the footnote with this text, which is added to `reasons` when it is new: rows with one
/// reason share it.
std::size_t footnote_number(std::vector<std::string>& reasons, const std::string& reason);

/// A run's name, or ""; and its device, program, time and status, as far as the manifest has them.
std::string name_of(const Report& report);
std::string context_of(const Report& report);

/// Text of a report without tables.
inline constexpr const char* kNoTables = "No cell has finished: there is nothing to compare yet.";

/// The first lines of a reason; a compiler's log can be long, and the whole of it is in
/// records.jsonl.
std::string shortened(const std::string& reason);

}  // namespace msda
