#include <fmt/format.h>

#include "render/tables/tables.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

/// The arm of a problem whose counted launch took the least time, and its samples.
struct Fastest {
  const CounterTable* table = nullptr;
  const CountedLaunch* launch = nullptr;
  LaunchLoads loads{};
  const Row* row = nullptr;
};

std::optional<Fastest> fastest_of(const CounterTable& table) {
  std::optional<Fastest> fastest;
  for (const CountedLaunch& launch : table.launches) {
    const auto loads = loads_of(launch);
    if (!loads || (fastest && fastest->loads.seconds <= loads->seconds)) continue;
    fastest = {&table, &launch, *loads};
  }
  return fastest;
}

/// The arm's row among the samples of the problem: in the counted mode, else in graphs, which hold
/// the kernels of warm launches.
const Row* sampled_row(const Report& report, const CounterTable& counted, const std::string& arm) {
  for (const bool in_graph : {false, true}) {
    for (const Table& table : report.tables) {
      const bool fits =
          in_graph ? traits_of(table.mode).in_graph : name_of(table.mode) == counted.mode;
      if (table.problem != counted.problem || !fits) continue;
      const Row* const row = find_row(table, arm);
      if (row != nullptr && row->timed()) return row;
    }
  }
  return nullptr;
}

std::string percent(const LaunchLoads& loads, const Load* load) {
  return load == nullptr ? kAbsent : fmt::format("{:.0f}", loads.share(*load) * 100);
}

std::string idle_percent(const Fastest& of) {
  for (const Load& load : of.loads.loads) {
    if (load.kind == Load::Kind::kIdle) return percent(of.loads, &load);
  }
  return of.loads.splits_time() ? "0" : kAbsent;
}

/// The problem and the mode of the samples, which are those of graphs where the counted mode has
/// none.
std::string sampled_place(const Fastest& of) {
  if (of.row == nullptr) return place_of(*of.table);
  return printable_line(of.table->problem).append(", ").append(name_of(of.row->record.mode));
}

/// Rows of all problems have one unit.
std::string in_us(double seconds) {
  const double us = seconds * 1e6;
  return us < 10 ? fmt::format("{:.2f}", us) : fmt::format("{:.1f}", us);
}

ColumnsOf<Fastest> limit_columns() {
  ColumnsOf<Fastest> columns = {
      {"problem", Side::kWords, sampled_place},
      {"arm", Side::kWords, [](const Fastest& of) { return printable_line(of.launch->arm()); }},
      {"us", Side::kNumbers,
       [](const Fastest& of) {
         return of.row == nullptr ? kAbsent : in_us(of.row->median_seconds);
       }},
      {"% SOL", Side::kNumbers,
       [](const Fastest& of) {
         return of.row == nullptr ? kAbsent : speed_of_light_text(*of.row);
       }},
      {"counted [us]", Side::kNumbers, [](const Fastest& of) { return in_us(of.loads.seconds); }}};
  for (const Resource& resource : resources()) {
    columns.push_back(
        {fmt::format("{} [%]", resource.name), Side::kNumbers, [&resource](const Fastest& of) {
           return percent(of.loads, of.loads.find(resource.name));
         }});
  }
  columns.push_back({"idle SMs [%]", Side::kNumbers, idle_percent});
  columns.push_back(
      {"bound by", Side::kWords, [](const Fastest& of) { return bound_in_words(of.loads); }});
  return columns;
}

}  // namespace

std::optional<Section> limits_section(const Report& report) {
  if (report.counters.size() < 2) return std::nullopt;
  std::vector<Fastest> rows;
  for (const CounterTable& table : report.counters) {
    auto fastest = fastest_of(table);
    if (!fastest) continue;
    fastest->row = sampled_row(report, table, fastest->launch->arm());
    rows.push_back(*std::move(fastest));
  }
  if (rows.empty()) return std::nullopt;
  Section section{.title = "Limits"};
  section.of_all_problems = true;
  section.headline =
      "What bounds the fastest arm of each problem: the share of its time that it kept each busy.";
  set_rows(section, limit_columns(), rows);
  section.remarks = {
      "us and % SOL are of the samples, the rest is of one launch under the profiler. idle SMs: "
      "multiprocessors that had no more work while another one did. bound by: what was busy 60% of "
      "the time and more, else what warps waited for most, with what was busiest in brackets."};
  drop_empty_columns(section);
  return section;
}

}  // namespace msda
