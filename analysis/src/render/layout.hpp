// A report's words and numbers as cells of text: what the terminal and Markdown show alike.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "render/text.hpp"
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
  std::string gist;      ///< the same in a few words: "wide-loads 1.68x"
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> verdicts;  ///< of each row, without its footnote mark
  std::vector<std::string> reasons;   ///< footnote i + 1; may have several lines
  std::vector<std::string> remarks;   ///< sentences: what the intervals are over, what ended early
  bool of_all_problems = false;       ///< has its place where a report is short, too
  /// What the rows are of, inside the report: one of these, or none.
  const Table* table = nullptr;
  const AblationTable* effects = nullptr;
  const PooledFamily* pooled = nullptr;
  const SearchReport* search = nullptr;
  const CounterTable* counters = nullptr;
  const Timeline* timeline = nullptr;
  const std::vector<Explained>* explained = nullptr;  ///< factors
};

Layout lay_out(const Table& table);

/// Effects of each problem and over problems; empty without them.
std::vector<Layout> effect_layouts(const Report& report);
/// One for each problem that was measured in several modes.
std::vector<Layout> regime_layouts(const Report& report);

/// Number of the footnote with this text, which is added to `reasons` when it is new: rows with one
/// reason share it.
std::size_t footnote_number(std::vector<std::string>& reasons, const std::string& reason);

/// Leaves out columns of numbers that no row has: a device that measures nothing has no times.
void drop_empty_columns(Layout& layout);

/// A string field of a JSON object, in printable characters, or "".
std::string text_field(const nlohmann::json& object, const char* key);
/// The list of that name in the plan of a report's manifest; empty where it has none.
const nlohmann::json& plan_list(const Report& report, const char* key);

/// A run's name, or ""; and its device, program, time and status, as far as the manifest has them.
std::string name_of(const Report& report);
std::string context_of(const Report& report);

/// The first lines of a reason; a compiler's log can be long, and the whole of it is in
/// records.jsonl.
std::string shortened(const std::string& reason);

}  // namespace msda
