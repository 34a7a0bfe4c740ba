// A whole report as what stands where: answer, warnings, matrices, sections.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "render/section.hpp"
#include "render/tables/matrix.hpp"

namespace msda {

/// All tables of a report in order: effects, one for each problem and mode, the pre-passes, the
/// counters, regimes, the claims, what `use: best` stands for, the run's time.
std::vector<Section> sections_of(const Report& report);

/// What is said of a run without tables: of one that goes on, and of one that is complete.
inline constexpr const char* kNoTables = "No cell has finished: there is nothing to compare yet.";
inline constexpr const char* kNoTablesAtAll = "No cell has finished: there is nothing to compare.";

/// Everything that a report or a table over several runs says, ready to be set.
struct Document {
  std::string title{};
  std::string context{};                ///< device, program, time; or ""
  std::string answer{};                 ///< what all tables say together; or ""
  std::vector<std::string> warnings{};  ///< what makes parts of it worth less than they look
  std::string figure{};                 ///< in Mermaid's language, for Markdown alone; or ""
  std::vector<Matrix> matrices{};       ///< what stands above all tables
  std::vector<std::string> notes{};     ///< one sentence or run each
  std::vector<Section> sections{};      ///< empty: no cell has finished
  std::string nothing = kNoTables;      ///< what is said then
  std::string legend{};                 ///< what the columns mean
};

/// Its sections point into the report.
Document document_of(const Report& report);
/// Without the tables that are of one problem: what stands above all tables, and those that are of
/// all problems together.
Document in_brief(Document document);

/// On one page: the answer, a figure of the arms, and at most so many lines of tables; tables of
/// all problems come first. A note names what is left out.
Document folded(Document document, std::size_t most_lines);

/// The claims of several runs in one table; a note for each run says where it was measured. Throws
/// UsageError without a claim.
Document claims_document(std::span<const Report> reports);

/// Counters alone, for a profile that has no run beside it.
Document counters_document(const std::vector<CounterTable>& tables);

/// A run's name, or "".
std::string name_of(const Report& report);

std::string as_terminal(const Document& document, bool colour);
std::string as_markdown(const Document& document);
std::string as_latex(const Document& document);

}  // namespace msda
