#include "render/document.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <msda/error.hpp>

#include "render/tables/tables.hpp"
#include "render/text/text.hpp"
#include "render/words/words.hpp"

namespace msda {
namespace {

/// The run's name, and its summary where it has one.
std::string title_of(const Report& report) {
  const std::string name = name_of(report);
  const std::string summary = printable_line(report.manifest.summary);
  const std::string title = name.empty() ? "MSDA Lab report" : name;
  return summary.empty() ? title : title + ": " + summary;
}

/// Which sources external arms were made of; "" where none says.
std::string revisions_of(const Manifest& manifest) {
  std::vector<std::string> arms;
  for (const ArmEntry& arm : manifest.arms) {
    for (const Use& use : arm.uses) {
      const auto found = use.parameters.find("revision");
      if (found == use.parameters.end()) continue;
      const auto* revision = std::get_if<std::string>(&found->second);
      if (revision != nullptr && !revision->empty()) {
        arms.push_back(fmt::format("{} {}", printable_line(arm.name), printable_line(*revision)));
      }
    }
  }
  return arms.empty() ? "" : fmt::format("Revisions of external arms: {}.", fmt::join(arms, ", "));
}

/// How the run's time was spent, and what the plan left out before any cell ran; one sentence each.
std::vector<std::string> notes_of(const Report& report) {
  std::vector<std::string> notes{time_sentence(report.manifest), revisions_of(report.manifest)};
  std::erase(notes, "");
  for (const std::string& note : report.manifest.plan.notes) {
    notes.push_back(printable_line(note));
  }
  return notes;
}

/// What each operator of the problems counts as its operations: "16 per point and output element";
/// with the operators' names where there are several.
std::string operations_of(const std::vector<ProblemEntry>& problems) {
  std::map<std::string, std::string> counted;
  for (const ProblemEntry& problem : problems) counted.emplace(problem.op, problem.flops_are);
  std::vector<std::string> texts;
  for (const auto& [op, words] : counted) {
    texts.push_back(printable_line(counted.size() == 1 ? words : op + " " + words));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// What the columns of cells mean that some table has.
std::string legend_of(const Report& report, const std::vector<Section>& sections) {
  const std::string operations = operations_of(report.manifest.problems);
  std::vector<std::string> meanings;
  for (const ColumnOf<Row>& column : cell_columns()) {
    const std::string& about = column.look.about;
    const bool is_there = std::ranges::any_of(sections, [&](const Section& section) {
      return std::ranges::any_of(section.columns,
                                 [&](const Column& set) { return set.about == about; });
    });
    if (about.empty() || !is_there) continue;
    meanings.push_back(about);
    if (column.look.unit == ColumnUnit::kFlopsPerSecond && !operations.empty()) {
      meanings.push_back(fmt::format("Operations: {}.", operations));
    }
  }
  return fmt::format("{}", fmt::join(meanings, " "));
}

/// What searches came to, which is what a run of `msda tune` is asked for; "" of other runs. Of
/// several it says which says what.
std::string search_answer(const Report& report, const std::vector<Section>& sections) {
  const auto& searches = report.searches;
  const bool several_modes = std::ranges::any_of(
      searches, [&](const auto& one) { return one.mode != searches.front().mode; });
  std::string text;
  for (const Section& section : sections) {
    const auto* search = section.of<SearchReport>();
    if (search == nullptr || !search->speaks()) continue;
    if (!text.empty()) text += " ";
    if (searches.size() > std::max<std::size_t>(1, search->together.size())) {
      text += (several_modes ? section.place : printable_line(search->problem)) + ": ";
    }
    text += section.headline;
  }
  return text;
}

/// What the intervals of a run's claims are over, for a table that is apart from the run's own: ""
/// where there are none.
std::string replication_of(const Report& report) {
  int processes = 0;
  bool has_interval = false;
  for (const CheckedClaim& checked : report.claims) {
    has_interval = has_interval || checked.interval_95.has_value();
    if (checked.replication == Replication::kProcesses) {
      processes = std::max(processes, checked.replicates);
    }
  }
  if (processes > 0) return fmt::format(", {} processes", processes);
  if (!has_interval) return "";
  return ", one process, so that differences between processes are not in the intervals";
}

}  // namespace

std::string name_of(const Report& report) { return printable_line(report.manifest.name); }

std::vector<Section> sections_of(const Report& report) {
  std::vector<Section> sections;
  // One section or none, or several.
  const auto add = [&](auto&& more) {
    if constexpr (requires { more.begin(); }) {
      std::ranges::move(more, std::back_inserter(sections));
    } else if (more) {
      sections.push_back(*std::move(more));
    }
  };
  add(sweep_section(report));
  add(effect_sections(report));
  for (const Table& table : report.tables) sections.push_back(cell_section(table, report.manifest));
  add(limits_section(report));  // what a run with counters was made for
  add(output_section(report));
  add(prepass_section(report));
  add(counter_sections(report.counters));
  add(search_sections(report));
  add(regime_sections(report));
  add(claims_section({&report, 1}));
  add(energy_section(report));
  add(best_section(report));
  if (report.timeline) sections.push_back(timeline_section(*report.timeline));
  return sections;
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
  document.sections = sections_of(report);
  document.legend = legend_of(report, document.sections);
  if (report.manifest.status == run_status::kComplete) document.nothing = kNoTablesAtAll;
  const std::string search = search_answer(report, document.sections);
  if (!search.empty()) document.answer = search;
  return document;
}

Document in_brief(Document document) {
  if (document.sections.empty()) return document;
  std::erase_if(document.sections, [](const Section& one) { return !one.of_all_problems; });
  document.nothing = "There is no table of all problems.";
  return document;
}

Document claims_document(std::span<const Report> reports) {
  auto section = claims_section(reports);
  if (!section) throw UsageError("none of these runs has a claim in its experiment that ran");
  Document document{.title = "Claims"};
  for (const Report& report : reports) {
    document.notes.push_back(
        fmt::format("{}: {}{}", name_of(report), context_of(report), replication_of(report)));
  }
  document.sections.push_back(*std::move(section));
  return document;
}

Document counters_document(const std::vector<CounterTable>& tables) {
  Document document{.title = "Counters"};
  document.answer = counters_sentence(tables);
  document.sections = counter_sections(tables);
  return document;
}

}  // namespace msda
