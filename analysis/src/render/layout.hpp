// A report's words and numbers as cells of text: what the terminal and Markdown show alike.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "render/matrix.hpp"
#include "report/report.hpp"

namespace msda {

/// What stands in a cell without a value.
inline constexpr const char* kAbsent = "-";

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

/// All tables of a report in order: effects, one for each problem and mode, the pre-passes, the
/// counters, regimes, the claims, what `use: best` stands for, the run's time.
std::vector<Layout> layouts_of(const Report& report);

/// What is said of a run without tables: of one that goes on, and of one that is complete.
inline constexpr const char* kNoTables = "No cell has finished: there is nothing to compare yet.";
inline constexpr const char* kNoTablesAtAll = "No cell has finished: there is nothing to compare.";

/// Everything that a report or a table over several runs says, ready to be set.
struct Document {
  std::string title;
  std::string context;                ///< device, program, time; or ""
  std::string answer;                 ///< what all tables say together; or ""
  std::vector<std::string> warnings;  ///< what makes parts of it worth less than they look
  std::vector<Matrix> matrices;       ///< what stands above all tables
  std::vector<std::string> notes;     ///< one sentence or run each
  std::vector<Layout> layouts;        ///< empty: no cell has finished
  std::string nothing = kNoTables;    ///< what is said then
  std::string legend;
};

/// Its layouts point into the report.
Document document_of(const Report& report);
/// Without the tables that are of one problem: what stands above all tables, and those that are of
/// all problems together.
Document in_brief(Document document);

std::string as_terminal(const Document& document, bool colour);
std::string as_markdown(const Document& document);
std::string as_latex(const Document& document);

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
