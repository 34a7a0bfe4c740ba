#include "render/document.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/answer.hpp"
#include "render/best_table.hpp"
#include "render/claims_table.hpp"
#include "render/counters_layout.hpp"
#include "render/limits_table.hpp"
#include "render/prepass_table.hpp"
#include "render/run_remarks.hpp"
#include "render/search_layout.hpp"
#include "render/text.hpp"
#include "render/timeline_layout.hpp"
#include "render/warnings.hpp"

namespace msda {
namespace {

/// The run's name, and its summary where it has one.
std::string title_of(const Report& report) {
  const std::string name = text_field(report.manifest, "name");
  const std::string summary = text_field(report.manifest, "summary");
  const std::string title = name.empty() ? "MSDA Lab report" : name;
  return summary.empty() ? title : title + ": " + summary;
}

/// How the run's time was spent, and what the plan left out before any cell ran; one sentence each.
std::vector<std::string> notes_of(const Report& report) {
  std::vector<std::string> notes;
  if (std::string time = time_sentence(report.manifest); !time.empty()) {
    notes.push_back(std::move(time));
  }
  for (const nlohmann::json& note : plan_list(report, "notes")) {
    if (note.is_string()) notes.push_back(printable_line(note.get<std::string>()));
  }
  return notes;
}

/// What the columns mean. Empty for a report without tables.
std::string legend_of(const Report& report) {
  if (report.tables.empty()) return "";
  std::string text =
      "ratio: baseline time / arm time, compared inside interleaved blocks; above 1 is faster. "
      "GB/s: the bytes that the problem has to move at least / median. "
      "FLOP/s: 16 per point and output element. ";
  const auto has_light = [](const Table& table) {
    return std::any_of(table.rows.begin(), table.rows.end(),
                       [](const Row& row) { return row.speed_of_light.has_value(); });
  };
  if (std::any_of(report.tables.begin(), report.tables.end(), has_light)) {
    text +=
        "% SOL: speed of light, the least time that the device's ceilings allow / median, and the "
        "memory whose ceiling it is. ";
  }
  return text + "rel. L2: error against the float64 reference.";
}

/// What searches came to, which is what a run of `msda tune` is asked for; "" of other runs. Of
/// several it says which says what.
std::string search_answer(const Report& report, const std::vector<Layout>& layouts) {
  const auto& searches = report.searches;
  const bool several_modes = std::any_of(searches.begin(), searches.end(), [&](const auto& one) {
    return one.mode != searches.front().mode;
  });
  std::string text;
  for (const Layout& layout : layouts) {
    if (layout.search == nullptr) continue;
    if (!text.empty()) text += " ";
    if (searches.size() > 1) {
      text += printable_line(layout.search->problem);
      if (several_modes) text += fmt::format(", {}", name_of(layout.search->mode));
      text += ": ";
    }
    text += layout.headline;
  }
  return text;
}

}  // namespace

std::vector<Layout> layouts_of(const Report& report) {
  std::vector<Layout> layouts = effect_layouts(report);
  for (const Table& table : report.tables) {
    layouts.push_back(lay_out(table));
    for (std::string& remark : run_remarks(report.manifest, table)) {
      layouts.back().remarks.push_back(std::move(remark));
    }
  }
  if (auto prepasses = lay_out_prepasses(report)) layouts.push_back(*std::move(prepasses));
  if (auto limits = lay_out_limits(report)) layouts.push_back(*std::move(limits));
  for (Layout& layout : counter_layouts(report.counters)) layouts.push_back(std::move(layout));
  for (Layout& layout : search_layouts(report)) layouts.push_back(std::move(layout));
  for (Layout& layout : regime_layouts(report)) layouts.push_back(std::move(layout));
  if (auto claims = lay_out_claims({&report, 1})) layouts.push_back(*std::move(claims));
  if (auto best = lay_out_best(report)) layouts.push_back(*std::move(best));
  if (report.timeline) layouts.push_back(lay_out_timeline(*report.timeline));
  return layouts;
}

Document document_of(const Report& report) {
  Document document;
  document.title = title_of(report);
  document.context = context_of(report);
  document.answer = answer(report);
  document.warnings = warnings_of(report);
  if (auto factors = factor_matrix(report)) document.matrices.push_back(*std::move(factors));
  if (auto arms = arm_matrix(report)) document.matrices.push_back(*std::move(arms));
  document.notes = notes_of(report);
  document.layouts = layouts_of(report);
  document.legend = legend_of(report);
  if (text_field(report.manifest, "status") == "complete") document.nothing = kNoTablesAtAll;
  const std::string search = search_answer(report, document.layouts);
  if (!search.empty()) document.answer = search;
  return document;
}

Document in_brief(Document document) {
  if (document.layouts.empty()) return document;
  std::erase_if(document.layouts, [](const Layout& layout) { return !layout.of_all_problems; });
  document.nothing = "There is no table of all problems.";
  return document;
}

}  // namespace msda
