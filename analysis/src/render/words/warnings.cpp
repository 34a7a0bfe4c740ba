#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/text/text.hpp"
#include "render/words/words.hpp"

namespace msda {
namespace {

/// The first few, and how many others there are.
std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t kMost = 3;
  if (names.size() > kMost) {
    const std::size_t others = names.size() - kMost + 1;
    names.resize(kMost - 1);
    names.push_back(fmt::format("{} more", others));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Plugins of the manifest whose host code the compiler did not optimize, with their build types.
std::map<std::string, std::string> slow_builds(const Manifest& manifest) {
  std::map<std::string, std::string> builds;
  for (const PluginEntry& plugin : manifest.plugins) {
    const std::string& type = plugin.build_type;
    if (!plugin.optimized) builds[plugin.name] = type.empty() ? "no build type" : type;
  }
  return builds;
}

void warn_of_slow_builds(const Manifest& manifest, std::vector<std::string>& warnings) {
  const auto builds = slow_builds(manifest);
  std::map<std::string, std::vector<std::string>> users;
  for (const ArmEntry& arm : manifest.arms) {
    for (const Use& use : arm.uses) {
      if (builds.contains(use.variant)) users[use.variant].push_back(arm.name);
    }
  }
  for (const auto& [variant, names] : users) {
    warnings.push_back(printable_line(
        fmt::format("{} was built without optimization ({}): the times of {} say nothing about "
                    "the variant.",
                    variant, builds.at(variant), some_of(names))));
  }
}

void warn_of_status(const std::string& status, std::vector<std::string>& warnings) {
  if (status.empty() || status == run_status::kComplete) return;
  warnings.push_back(fmt::format("The run is {}: cells may be missing.", printable_line(status)));
}

/// A run that says it is complete may have lost its records since.
void warn_of_missing_cells(const Report& report, std::vector<std::string>& warnings) {
  std::set<std::string> recorded;
  for (const Row& row : rows_of(report)) recorded.insert(row.record.cell);
  const std::vector<std::string>& planned = report.manifest.plan.cells;
  std::vector<std::string> missing;
  for (const std::string& cell : planned) {
    if (!recorded.contains(cell)) missing.push_back(printable_line(cell));
  }
  if (missing.empty()) return;
  warnings.push_back(fmt::format("{} of {} cells of the plan have no record: {}.", missing.size(),
                                 planned.size(), some_of(missing)));
}

void warn_of_cells(const Report& report, std::vector<std::string>& warnings) {
  std::map<std::string, std::vector<std::string>> cells;
  for (const Row& row : rows_of(report))
    cells[row.verdict].push_back(printable_line(row.record.cell));
  const auto warn = [&](const char* verdict, const char* what) {
    const auto found = cells.find(verdict);
    if (found == cells.end()) return;
    warnings.push_back(fmt::format("{}: {}.", what, some_of(found->second)));
  };
  warn("impossible", "Faster than the device can be, and given no ratio");
  warn("wrong", "Wrong results, and so no time");
}

void warn_of_vacuous_arms(const Report& report, std::vector<std::string>& warnings) {
  std::vector<std::string> cells;
  for (const Row& row : rows_of(report)) {
    if (row.is_vacuous()) cells.push_back(printable_line(row.record.cell));
  }
  if (cells.empty()) return;
  warnings.push_back(
      fmt::format("No effect (the optimization was compiled in and never took effect, so that the "
                  "time says nothing about it): {}.",
                  some_of(cells)));
}

void warn_of_noise(const Report& report, std::vector<std::string>& warnings) {
  for (const Table& table : report.tables) {
    const auto& floor = table.noise;
    if (!floor || floor->arm.empty()) continue;
    const Difference difference = classify(floor->ratio);
    if (difference != Difference::kFaster && difference != Difference::kSlower) continue;
    warnings.push_back(fmt::format(
        "At {}, the baseline differs from itself ({}): differences of that size mean nothing "
        "there.",
        place_of(table), ratio_text(floor->ratio.ratio, floor->ratio.interval_95)));
  }
}

}  // namespace

std::vector<std::string> warnings_of(const Report& report) {
  std::vector<std::string> warnings;
  warn_of_status(report.manifest.status, warnings);
  warn_of_missing_cells(report, warnings);
  warn_of_slow_builds(report.manifest, warnings);
  warn_of_cells(report, warnings);
  warn_of_vacuous_arms(report, warnings);
  warn_of_noise(report, warnings);
  return warnings;
}

}  // namespace msda
