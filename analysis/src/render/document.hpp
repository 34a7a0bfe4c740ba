// A whole report as what stands where: answer, warnings, matrices, tables.
#pragma once

#include <string>
#include <vector>

#include "render/layout.hpp"
#include "render/matrix.hpp"

namespace msda {

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

}  // namespace msda
