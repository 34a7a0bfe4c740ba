#include <algorithm>

#include <fmt/format.h>

#include "render/tables/tables.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

/// "300 at 1965", in mJ and MHz.
std::string power_text(const Row* row) {
  const std::optional<PowerDraw> power = row == nullptr ? std::nullopt : power_of(row->record);
  if (!power) return std::string(kAbsent);
  std::string text = millijoules(power->joules);
  if (power->sm_clock_mhz) text += fmt::format(" at {:.0f}", *power->sm_clock_mhz);
  return text;
}

/// In the order in which tables name them.
std::vector<std::string> arms_with_power(const Report& report) {
  std::vector<std::string> arms;
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) {
      const std::string& arm = row.record.arm;
      if (power_of(row.record) && std::ranges::find(arms, arm) == arms.end()) arms.push_back(arm);
    }
  }
  return arms;
}

}  // namespace

std::optional<PowerDraw> power_of(const Record& record) {
  for (const ProcessRun& run : record.processes) {
    if (run.power) return run.power;
  }
  return std::nullopt;
}

std::optional<Section> energy_section(const Report& report) {
  const std::vector<std::string> arms = arms_with_power(report);
  if (arms.empty()) return std::nullopt;
  Section section{.title = "Energy"};
  section.of_all_problems = true;
  section.headline =
      "What a launch draws in mJ, of the whole device, and the SM clock in MHz while launches "
      "follow one another.";
  section.columns.push_back({.title = "problem", .number = false});
  for (const std::string& arm : arms) section.columns.push_back({.title = printable_line(arm)});
  for (const Table& table : report.tables) {
    std::vector<std::string> cells{place_of(table)};
    for (const std::string& arm : arms) cells.push_back(power_text(find_row(table, arm)));
    section.rows.push_back(std::move(cells));
  }
  section.verdicts.resize(section.rows.size());
  return section;
}

}  // namespace msda
