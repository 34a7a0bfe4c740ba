#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "json_text.hpp"
#include "render/columns.hpp"
#include "render/document.hpp"
#include "render/figures/figures.hpp"
#include "render/formats.hpp"
#include "render/html/web.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

constexpr const char* kNoVega =
    "This program was built without the Vega library (Debian's libjs-vega), so that the report has "
    "tables only.";

/// Sections that are open when the page is: with more of them it begins as a list.
constexpr std::size_t kMostOpen = 2;
/// Rows of all tables of a matrix together that a screen holds, and the least of one.
constexpr std::size_t kMostRows = 20;
constexpr std::size_t kLeastRows = 5;
/// Characters of a number that a card has half a line for.
constexpr std::size_t kWideNumber = 10;

/// JSON that can stand in a script element: no '<', so neither an end tag nor a comment.
std::string script_json(const Json& json) {
  std::string text = json_line(json);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    text.replace(at, 1, "\\u003c");
  }
  return text;
}

/// A name such as "base+shared-metadata+smem-levels" may break between its parts.
Json parts_of(std::string_view name) {
  Json parts = Json::array();
  std::string part;
  for (const char c : name) {
    const bool begins = c == '+' || c == '/';
    if (begins && !part.empty()) parts.push_back(std::exchange(part, ""));
    part += c;
    if (c == '-' || c == '_' || c == ',') parts.push_back(std::exchange(part, ""));
  }
  if (!part.empty()) parts.push_back(part);
  return parts;
}

std::string section_id(std::size_t index) { return fmt::format("t{}", index + 1); }

// --- The matrix
// ----------------------------------------------------------------------------------

/// From "l1", a few percent, to "l4", a factor of 2 and more; "" for no more than the threshold.
std::string strength_of(const MatrixCell& cell) {
  if (!cell.ratio) return "";
  const double strength = std::abs(std::log(*cell.ratio));
  constexpr std::array kBounds{0.02, 0.1, 0.3, 0.69};
  const auto level =
      std::ranges::count_if(kBounds, [&](double bound) { return strength >= bound; });
  return level == 0 ? "" : fmt::format("l{}", level);
}

/// A class for the style sheet: effects and ratios share their colours.
std::string verdict_class(const std::string& verdict) {
  if (verdict == "better") return "faster";
  if (verdict == "worse") return "slower";
  return verdict == "not estimable" ? "none" : verdict;
}

Json cell_json(const MatrixCell& cell) {
  std::string mark;
  if (cell.place == Place::kFirst) mark = "★";
  if (cell.place == Place::kShared) mark = "☆";
  return {{"text", cell.text},
          {"mark", mark},
          {"tip", cell.tip},
          {"strength", strength_of(cell)},
          {"verdict", verdict_class(cell.verdict)}};
}

/// Columns [begin, end) of a matrix, and some of its rows.
struct Part {
  std::size_t begin;
  std::size_t end;
  std::vector<const MatrixRow*> rows;
  bool is_rest;  ///< what is not shown at first
};

Json matrix_table(const Matrix& matrix, const Part& part, const std::vector<std::string>& ids) {
  Json problems = Json::array();
  Json modes = Json::array();
  const bool several_modes = matrix.has_several_modes();
  for (std::size_t c = part.begin; c < part.end; ++c) {
    const MatrixColumn& column = matrix.columns[c];
    modes.push_back({{"mode", name_of(column.mode)}, {"id", ids[c]}});
    if (c > part.begin && matrix.goes_on(c)) {
      problems.back()["span"] = problems.back()["span"].get<int>() + 1;
    } else {
      problems.push_back({{"parts", parts_of(column.problem)},
                          {"span", 1},
                          {"is_alone", !several_modes},
                          {"id", ids[c]}});
    }
  }
  Json rows = Json::array();
  for (const MatrixRow* row : part.rows) {
    Json cells = Json::array();
    for (std::size_t c = part.begin; c < part.end; ++c) cells.push_back(cell_json(row->cells[c]));
    rows.push_back({{"parts", parts_of(row->name)},
                    {"is_baseline", row->is_baseline},
                    {"cells", std::move(cells)}});
  }
  return {{"corner", matrix.corner},
          {"span", part.end - part.begin},
          {"several_modes", several_modes},
          {"problems", std::move(problems)},
          {"modes", std::move(modes)},
          {"rows", std::move(rows)},
          {"is_rest", part.is_rest},
          {"count", fmt::format("{} more {}s", part.rows.size(), matrix.corner)}};
}

using MatrixRows = std::vector<const MatrixRow*>;

/// The first rows and every winner of columns [begin, end); then the others.
std::pair<MatrixRows, MatrixRows> split_rows(const Matrix& matrix, std::size_t begin,
                                             std::size_t end, std::size_t fitting) {
  constexpr std::size_t kFewOthers = 2;
  const bool all_fit = matrix.rows.size() <= fitting + kFewOthers;
  std::pair<MatrixRows, MatrixRows> split;
  for (const MatrixRow& row : matrix.rows) {
    const auto first = row.cells.begin();
    const bool wins = std::any_of(
        first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end),
        [](const MatrixCell& cell) { return cell.place != Place::kNone; });
    const bool is_shown = all_fit || wins || split.first.size() < fitting;
    (is_shown ? split.first : split.second).push_back(&row);
  }
  return split;
}

/// Tables of at most `most` columns each, which fit a screen; modes of a problem stay together. The
/// more tables there are, the fewer rows does each of them show.
Json matrix_tables(const Matrix& matrix, std::size_t most, const std::vector<std::string>& ids) {
  Json tables = Json::array();
  const std::size_t columns = matrix.columns.size();
  const std::size_t count = (columns + most - 1) / most;
  most = (columns + count - 1) / count;
  const std::size_t fitting = std::max(kLeastRows, kMostRows / count);
  for (std::size_t begin = 0; begin < columns;) {
    std::size_t end = std::min(columns, begin + most);
    std::size_t whole = end;
    while (whole > begin && whole < columns && matrix.goes_on(whole)) --whole;
    if (whole > begin) end = whole;  // else a problem has more modes than fit
    const auto [shown, rest] = split_rows(matrix, begin, end, fitting);
    tables.push_back(matrix_table(matrix, {begin, end, shown, false}, ids));
    if (!rest.empty()) tables.push_back(matrix_table(matrix, {begin, end, rest, true}, ids));
    begin = end;
  }
  return tables;
}

/// A table that fits every screen, or one for wide and several for narrow ones.
Json matrix_json(const Matrix& matrix, const std::vector<std::string>& ids) {
  constexpr std::size_t kNarrow = 4;
  constexpr std::size_t kWide = 18;
  Json widths = Json::array();
  if (matrix.columns.size() <= kNarrow) {
    widths.push_back({{"class", "any"}, {"tables", matrix_tables(matrix, kNarrow, ids)}});
  } else {
    widths.push_back({{"class", "wide"}, {"tables", matrix_tables(matrix, kWide, ids)}});
    widths.push_back({{"class", "narrow"}, {"tables", matrix_tables(matrix, kNarrow, ids)}});
  }
  return {{"title", matrix.title}, {"widths", std::move(widths)}};
}

/// The sections that the columns of a matrix stand for.
std::vector<std::string> ids_of(const Matrix& matrix, const std::vector<Section>& sections) {
  const bool of_factors = matrix.corner == "factor";
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& section = sections[i];
    if ((of_factors ? section.of<AblationTable>() != nullptr : section.of<Table>() != nullptr)) {
      ids.push_back(section_id(i));
    }
  }
  ids.resize(matrix.columns.size(), "summary");
  return ids;
}

// --- Sections
// ------------------------------------------------------------------------------------

Json rows_json(const Section& section) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < section.rows.size(); ++i) {
    Json cells = Json::array();
    for (std::size_t j = 0; j < section.columns.size(); ++j) {
      const Column& column = section.columns[j];
      Json cell{{"number", column.number}, {"label", column.title}};
      if (column.number) {
        cell["text"] = section.rows[i][j];
        cell["wide"] = section.rows[i][j].size() > kWideNumber;
      } else {
        cell["parts"] = parts_of(section.rows[i][j]);
      }
      cells.push_back(std::move(cell));
    }
    rows.push_back({{"verdict", section.verdicts[i]}, {"cells", std::move(cells)}});
  }
  return rows;
}

Json figure_json(const Figure& figure, const std::string& title) {
  return {{"id", figure.id}, {"title", title}, {"caption", figure.caption}};
}

/// The figure that stands beside the answer: what factors bring over problems, else what a sweep
/// shows, else the factors of the first problem, else error against time. nullptr without one.
const Figure* lead_of(const std::vector<Figure>& figures) {
  for (const std::string_view kind : {"problems", "sweep", "effects", "pareto", "speedups"}) {
    for (const Figure& figure : figures) {
      if (figure.id.ends_with("-" + std::string(kind))) return &figure;
    }
  }
  return nullptr;
}

Json lead_json(const Figure* lead) {
  Json drawn = Json::array();
  if (lead != nullptr) drawn.push_back(figure_json(*lead, lead->title + ": " + lead->place));
  return drawn;
}

Json section_json(const Section& section, std::size_t index, bool is_open,
                  const std::vector<Figure>& figures) {
  const Figure* lead = lead_of(figures);
  Json columns = json_list(section.columns, [](const Column& column) -> Json {
    return {{"title", column.title}, {"number", column.number}};
  });
  Json drawn = Json::array();
  for (const Figure& figure : figures) {
    if (figure.section == index && &figure != lead) {
      drawn.push_back(figure_json(figure, figure.title));
    }
  }
  return {{"id", section_id(index)},
          {"title", section.title},
          {"gist", section.gist},
          {"headline", section.headline},
          {"is_open", is_open},
          {"columns", std::move(columns)},
          {"rows", rows_json(section)},
          {"reasons",
           json_list(section.reasons, [](const std::string& one) { return shortened(one); })},
          {"remarks", section.remarks},
          {"figures", std::move(drawn)}};
}

Json notes_json(const Report& report, const Document& document) {
  Json notes = document.notes;
  if (!has_vega()) notes.push_back(kNoVega);
  if (has_vega() && report.tables.size() > kMostFigureTables) {
    notes.push_back(fmt::format("Figures are drawn for the first {} of {} tables.",
                                kMostFigureTables, report.tables.size()));
  }
  return notes;
}

}  // namespace

std::string to_html(const Report& report) {
  const Document document = document_of(report);
  const std::vector<Section>& sections = document.sections;
  const std::vector<Figure> figures = has_vega() ? figures_of(sections) : std::vector<Figure>{};
  Json matrices = json_list(document.matrices, [&](const Matrix& matrix) {
    return matrix_json(matrix, ids_of(matrix, sections));
  });
  Json set = Json::array();
  for (std::size_t i = 0; i < sections.size(); ++i) {
    set.push_back(section_json(sections[i], i, sections.size() <= kMostOpen, figures));
  }
  Json specifications = Json::object();
  for (const Figure& figure : figures) specifications[figure.id] = figure.specification;
  Json notes = notes_json(report, document);
  return fill_template("report.html",
                       {{"title", document.title},
                        {"context", document.context},
                        {"answer", sections.empty() ? document.nothing : document.answer},
                        {"warnings", document.warnings},
                        {"matrices", std::move(matrices)},
                        {"lead", lead_json(lead_of(figures))},
                        {"has_contents", sections.size() > 1},
                        {"sections", std::move(set)},
                        {"notes", std::move(notes)},
                        {"legend", document.legend},
                        {"figures", script_json(specifications)},
                        {"style", web_file("style.css")},
                        {"vega", vega_elements()},
                        {"script", web_file("script.js")}});
}

}  // namespace msda
