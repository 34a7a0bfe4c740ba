#include "render/limits_table.hpp"

#include <fmt/format.h>

#include "render/text.hpp"

namespace msda {
namespace {

struct Fastest {
  const CountedLaunch* launch = nullptr;
  LaunchLoads loads;
};

std::optional<Fastest> fastest_of(const CounterTable& table) {
  std::optional<Fastest> fastest;
  for (const CountedLaunch& launch : table.launches) {
    const auto loads = loads_of(launch);
    if (!loads || (fastest && fastest->loads.seconds <= loads->seconds)) continue;
    fastest = {&launch, *loads};
  }
  return fastest;
}

/// The arm's row among the samples of the problem: in the counted mode, else in graphs, which hold
/// the kernels of warm launches.
const Row* sampled_row(const Report& report, const CounterTable& counted, const std::string& arm) {
  for (const std::string_view mode :
       {std::string_view(counted.mode), name_of(TimingMode::kGraph)}) {
    for (const Table& table : report.tables) {
      if (table.problem != counted.problem || name_of(table.mode) != mode) continue;
      const Row* const row = find_row(table, arm);
      if (row != nullptr && row->timed()) return row;
    }
  }
  return nullptr;
}

std::string percent(const LaunchLoads& loads, const Load* load) {
  return load == nullptr ? kAbsent : fmt::format("{:.0f}", loads.share(*load) * 100);
}

std::string idle_percent(const LaunchLoads& loads) {
  for (const Load& load : loads.loads) {
    if (load.kind == Load::Kind::kIdle) return percent(loads, &load);
  }
  return loads.splits_time() ? "0" : kAbsent;
}

/// Rows of all problems have one unit.
std::string microseconds(double seconds) {
  const double us = seconds * 1e6;
  return us < 10 ? fmt::format("{:.2f}", us) : fmt::format("{:.1f}", us);
}

std::vector<std::string> cells_of(const CounterTable& table, const Fastest& fastest,
                                  const Row* row) {
  std::vector<std::string> cells{
      fmt::format("{}, {}", printable_line(table.problem), printable_line(table.mode)),
      printable_line(fastest.launch->arm()),
      row == nullptr ? kAbsent : microseconds(row->median_seconds),
      row == nullptr ? kAbsent : speed_of_light_text(*row), microseconds(fastest.loads.seconds)};
  for (const Resource& resource : resources()) {
    cells.push_back(percent(fastest.loads, fastest.loads.find(resource.name)));
  }
  cells.push_back(idle_percent(fastest.loads));
  cells.push_back(bound_in_words(fastest.loads));
  return cells;
}

}  // namespace

std::optional<Layout> lay_out_limits(const Report& report) {
  if (report.counters.size() < 2) return std::nullopt;
  Layout layout;
  layout.of_all_problems = true;
  layout.title = "Limits";
  layout.headline =
      "What bounds the fastest arm of each problem: the share of its time that it kept each busy.";
  layout.columns = {{"problem", false}, {"arm", false}, {"us"}, {"% SOL"}, {"counted [us]"}};
  for (const Resource& resource : resources()) {
    layout.columns.push_back({fmt::format("{} [%]", resource.name)});
  }
  layout.columns.push_back({"idle SMs [%]"});
  layout.columns.push_back({"bound by", false});
  for (const CounterTable& table : report.counters) {
    const auto fastest = fastest_of(table);
    if (!fastest) continue;
    layout.rows.push_back(
        cells_of(table, *fastest, sampled_row(report, table, fastest->launch->arm())));
    layout.verdicts.emplace_back("");
  }
  if (layout.rows.empty()) return std::nullopt;
  layout.remarks = {
      "us and % SOL are of the samples, the rest is of one launch under the profiler. idle SMs: "
      "multiprocessors that had no more work while another one did. bound by: what was busy 60% of "
      "the time and more, else what warps waited for most, with what was busiest in brackets."};
  drop_empty_columns(layout);
  return layout;
}

}  // namespace msda
