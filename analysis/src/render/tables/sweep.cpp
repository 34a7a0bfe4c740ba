// What a sweep over one number comes to: the fastest arm at each value.
#include <algorithm>

#include <fmt/format.h>

#include "render/tables/matrix.hpp"
#include "render/tables/shapes.hpp"
#include "render/tables/tables.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

struct Step {
  double value;
  const Table* table;
  const Row* fastest;
  const Row* baseline;
};

std::vector<Step> steps_of(const Report& report, const Sweep& sweep) {
  std::vector<Step> steps;
  for (const Table& table : report.tables) {
    const auto value = sweep.values.find(table.problem);
    const std::vector<const Row*> timed = fastest_first(table);
    if (value == sweep.values.end() || timed.empty()) continue;
    steps.push_back({value->second, &table, timed.front(), baseline_row(table)});
  }
  std::ranges::stable_sort(steps, {}, &Step::value);
  return steps;
}

std::string end_text(const Step& step) {
  const std::string ratio =
      step.fastest->speedup ? " (" + short_ratio(*step.fastest->speedup) + "x)" : "";
  return arm_text(*step.fastest) + ratio;
}

std::string headline_of(const Sweep& sweep, const std::vector<Step>& steps) {
  return fmt::format("From {} {:g} to {:g}, the arm with the best estimate goes from {} to {}.",
                     sweep.key, steps.front().value, steps.back().value, end_text(steps.front()),
                     end_text(steps.back()));
}

}  // namespace

std::optional<Section> sweep_section(const Report& report) {
  const auto sweep = sweep_of(report.manifest.problems);
  if (!sweep) return std::nullopt;
  const std::vector<Step> steps = steps_of(report, *sweep);
  if (steps.size() < 2) return std::nullopt;
  Section section = section_named("Sweep: ", sweep->key);
  section.of_all_problems = true;
  section.subject = &report;
  section.headline = headline_of(*sweep, steps);
  section.gist = fmt::format("{:g} to {:g}", steps.front().value, steps.back().value);
  const ColumnsOf<Step> columns = {
      {sweep->key, Side::kNumbers, [](const Step& s) { return fmt::format("{:g}", s.value); }},
      {"mode", Side::kWords, [](const Step& s) { return std::string(name_of(s.table->mode)); }},
      {"baseline", kPeople, Look("baseline", ColumnUnit::kSeconds),
       [](const Step& s) {
         const bool has_time = s.baseline != nullptr && s.baseline->timed();
         return when(has_time, has_time ? s.baseline->median_seconds : 0.0);
       }},
      {"fastest", kPeople, Look("fastest", ColumnUnit::kSeconds),
       [](const Step& s) { return s.fastest->median_seconds; }},
      {"ratio", kPeople, Look("ratio", ColumnUnit::kRatio),
       [](const Step& s) {
         return Estimate(s.fastest->speedup, s.fastest->speedup_95, s.fastest->replication,
                         s.fastest->replicates);
       }},
      {"fastest arm", Side::kWords, [](const Step& s) { return arm_text(*s.fastest); }},
      {"verdict", kNowhere, [](const Step& s) { return s.fastest->verdict; }},
  };
  set_rows(section, columns, steps);
  section.remarks.emplace_back(
      "The fastest arm has the best estimate; each problem's own table says what is "
      "indistinguishable from it.");
  return section;
}

}  // namespace msda
