#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <msda/error.hpp>

#include "facts/timing_mode.hpp"
#include "pattern.hpp"
#include "runner/profile/csv.hpp"
#include "runner/profile/profiler.hpp"

namespace msda::profile {
namespace {

/// The ranges of domain "msda" that were open around a launch, as a profiler prints the stack.
struct OpenRanges {
  std::string problem;
  std::string arm;
  std::string mode;
  std::string part;
};

/// A range of a cell is named "cell PROBLEM/ARM/MODE". Neither tool escapes names, and an arm's may
/// hold slashes, so the first and the last one count.
std::optional<OpenRanges> ranges_in(const std::string& text) {
  static const Pattern kCell(
      fmt::format(R"(cell ([^/:"]+)/([^:"]+)/({}))", fmt::join(all_names<TimingMode>(), "|")));
  static const Pattern kPart(R"(part ([^:"/]+))");
  if (text.find(kProfiledRange) == std::string::npos) return std::nullopt;
  const auto cell = kCell.search(text);
  const auto part = kPart.search(text);
  if (!cell || !part) return std::nullopt;
  return OpenRanges{cell->at(1), cell->at(2), cell->at(3), part->at(1)};
}

KernelCounters of(const OpenRanges& ranges) {
  KernelCounters counters;
  counters.problem = ranges.problem;
  counters.arm = ranges.arm;
  counters.mode = ranges.mode;
  counters.part = ranges.part;
  return counters;
}

bool is_metric(const std::string& name) {
  return name.find("__") != std::string::npos && name.rfind("device__attribute", 0) != 0;
}

bool same_part(const KernelCounters& a, const KernelCounters& b) {
  return a.problem == b.problem && a.arm == b.arm && a.mode == b.mode && a.part == b.part;
}

void add_first(Imported& imported, KernelCounters counters) {
  const auto& kernels = imported.kernels;
  const bool known = std::any_of(kernels.begin(), kernels.end(), [&](const KernelCounters& other) {
    return same_part(other, counters);
  });
  if (!known) imported.kernels.push_back(std::move(counters));
}

/// Base units of the tool, as SI: its times are nanoseconds.
double in_base_unit(double value, const std::string& unit) {
  if (unit == "ns" || unit == "nsecond") return value * 1e-9;
  if (unit == "us" || unit == "usecond") return value * 1e-6;
  if (unit == "ms" || unit == "msecond") return value * 1e-3;
  return value;
}

std::size_t need_column(const CsvTable& table, std::string_view part) {
  const auto column = table.column_with(part);
  if (column) return *column;
  throw EnvironmentError(fmt::format(
      "the profiler's table has no column '{}': it is of a version that is not known here", part));
}

}  // namespace

Imported parse_ncu(std::string_view text) {
  const CsvTable table = parse_csv(text, "ID");
  if (table.header.empty()) {
    throw EnvironmentError("ncu printed no table of its report; it said: " +
                           std::string(text.substr(0, 400)));
  }
  const std::size_t name = need_column(table, "Kernel Name");
  const std::size_t stack = need_column(table, "Push/Pop");
  const auto model = table.column("device__attribute_display_name");
  const NumberStyle style = number_style(table);
  Imported imported;
  imported.truncated = table.truncated;
  std::vector<std::string> units(table.header.size());
  for (const std::vector<std::string>& row : table.rows) {
    if (row[0].empty()) {  // the row below the header
      units = row;
      continue;
    }
    const auto ranges = ranges_in(row[stack]);
    if (!ranges) continue;
    KernelCounters counters = of(*ranges);
    counters.kernel = row[name];
    if (model) counters.device = row[*model];
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!is_metric(table.header[i])) continue;
      if (const auto value = parse_number(row[i], style)) {
        counters.values.emplace(table.header[i], in_base_unit(*value, units[i]));
      }
    }
    add_first(imported, std::move(counters));
  }
  return imported;
}

Imported parse_nsys(std::string_view text) {
  const CsvTable table = parse_csv(text, "NVTX Range");
  if (table.header.empty()) {
    throw EnvironmentError("nsys printed no table of its report; it said: " +
                           std::string(text.substr(0, 400)));
  }
  const std::size_t kernel = need_column(table, "Kernel Name");
  const std::size_t average = need_column(table, "Avg (ns)");
  const NumberStyle style = number_style(table);
  Imported imported;
  imported.truncated = table.truncated;
  for (const std::vector<std::string>& row : table.rows) {
    const auto ranges = ranges_in(row[0]);
    const auto time = parse_number(row[average], style);
    if (!ranges || !time) continue;
    KernelCounters counters = of(*ranges);
    counters.kernel = row[kernel];
    counters.values.emplace("gpu__time_duration.sum", *time * 1e-9);
    add_first(imported, std::move(counters));
  }
  return imported;
}

}  // namespace msda::profile
