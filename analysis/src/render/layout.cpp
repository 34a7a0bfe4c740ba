#include "render/layout.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/headline.hpp"
#include "render/matrix.hpp"
#include "render/run_remarks.hpp"
#include "render/text.hpp"
#include "statistics/leader.hpp"
#include "statistics/noise_floor.hpp"

namespace msda {
namespace {

/// Units shared by the rows of one table, so that its numbers can be compared at a glance.
struct Scales {
  Scale time;
  Scale bytes;
  Scale flops;
  bool speed_of_light = false;
};

Scales scales_of(const Table& table) {
  double smallest = std::numeric_limits<double>::infinity();
  double bytes = 0;
  double flops = 0;
  Scales scales;
  for (const Row& row : table.rows) {
    if (row.timed()) smallest = std::min(smallest, row.median_seconds);
    bytes = std::max(bytes, row.dram_bytes_per_second);
    flops = std::max(flops, row.flops_per_second);
    scales.speed_of_light = scales.speed_of_light || row.speed_of_light;
  }
  scales.time = time_scale(smallest);
  scales.bytes = bytes_scale(bytes);
  scales.flops = flops_scale(flops);
  return scales;
}

std::vector<Column> columns_of(const Scales& scales) {
  std::vector<Column> columns{{"arm", false},
                              {fmt::format("median [{}]", scales.time.unit)},
                              {"ratio [95%]"},
                              {scales.bytes.unit},
                              {scales.flops.unit}};
  if (scales.speed_of_light) columns.push_back({"% SOL"});
  columns.push_back({"rel. L2"});
  columns.push_back({"verdict", false});
  return columns;
}

std::string error_text(const Row& row) {
  return row.compared() ? fmt::format("{:.1e}", row.record.relative_l2) : kAbsent;
}

std::vector<std::string> cells_of(const Row& row, const Scales& scales,
                                  const std::string& verdict) {
  const auto when_timed = [&](const std::string& text) { return row.timed() ? text : kAbsent; };
  std::vector<std::string> cells{printable_line(row.record.arm),
                                 when_timed(scales.time.number(row.median_seconds)),
                                 row.speedup ? ratio_text(*row.speedup, row.speedup_95) : kAbsent,
                                 when_timed(scales.bytes.number(row.dram_bytes_per_second)),
                                 when_timed(scales.flops.number(row.flops_per_second))};
  if (scales.speed_of_light) {
    cells.push_back(speed_of_light_text(row));
  }
  cells.push_back(error_text(row));
  cells.push_back(verdict);
  return cells;
}

/// What there is to say of a row beside its numbers, with its footnotes.
std::string verdict_text(const Row& row, std::vector<std::string>& reasons) {
  std::string text = row.verdict + (row.repeats_baseline ? " (A/A)" : "");
  const auto add_footnote = [&](const std::string& reason) {
    text += fmt::format(" [{}]", footnote_number(reasons, printable(reason)));
  };
  if (row.record.status != CellStatus::kOk && !row.record.reason.empty()) {
    add_footnote(row.record.reason);
  }
  if (row.is_vacuous()) {
    text += ", vacuous";
    add_footnote(fmt::format("what {} is about did not show: {}", row.record.arm,
                             fmt::join(row.missing, "; ")));
  }
  if (row.record.devices) {
    text += fmt::format(", {} devices", *row.record.devices);
    add_footnote(fmt::format("the batch of {} is shared among {} devices; % SOL is of all of them",
                             row.record.arm, *row.record.devices));
  }
  if (!row.same_code_as.empty()) {
    text += ", same code";
    add_footnote(fmt::format("{} has the machine code and the launches of {}: they are one arm",
                             row.record.arm, row.same_code_as));
  }
  return text;
}

/// "3", or "3 to 5" where rows differ.
std::string count_text(int fewest, int most) {
  return fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most);
}

std::string method_of(const Table& table, Replication replication) {
  int fewest = std::numeric_limits<int>::max();
  int most = 0;
  for (const Row& row : table.rows) {
    if (row.replication != replication) continue;
    fewest = std::min(fewest, row.replicates);
    most = std::max(most, row.replicates);
  }
  if (most == 0) return "";
  const std::string count = count_text(fewest, most);
  if (replication == Replication::kProcesses) {
    return fmt::format("95% intervals: Student t over the means of {} processes.", count);
  }
  return fmt::format(
      "95% intervals: Student t over {} blocks of one process; differences between processes are "
      "not in them.",
      count);
}

/// Which arms the time budget cut short, or "".
std::string cut_short(const Table& table) {
  std::vector<std::string> arms;
  for (const Row& row : table.rows) {
    if (row.timed() && row.record.stopped_by == "budget") {
      arms.push_back(printable_line(row.record.arm));
    }
  }
  if (arms.empty()) return "";
  if (arms.size() == table.rows.size()) return "The time budget ended before all blocks had run.";
  return fmt::format("The time budget ended before all blocks of these had run: {}.",
                     fmt::join(arms, ", "));
}

std::vector<std::string> remarks_of(const Table& table) {
  std::vector<std::string> remarks{method_of(table, Replication::kProcesses),
                                   method_of(table, Replication::kBlocks)};
  if (const auto floor = noise_floor(table)) remarks.push_back(noise_sentence(*floor));
  remarks.push_back(cut_short(table));
  std::erase(remarks, "");
  return remarks;
}

/// The winner and its ratio, or the status that all arms have.
std::string gist_of(const Table& table) {
  const auto leader = find_leader(table);
  if (!leader) {
    const bool all_right = std::all_of(table.rows.begin(), table.rows.end(),
                                       [](const Row& row) { return row.verdict == "right"; });
    return all_right ? "all right" : "";
  }
  const Row& best = *leader->best;
  const std::string ratio = best.speedup ? " " + short_ratio(*best.speedup) + "x" : "";
  switch (leader->standing) {
    case Standing::kFastest: return arm_text(best) + ratio;
    case Standing::kShared: return fmt::format("{} arms share{}", leader->rivals.size() + 1, ratio);
    case Standing::kNone: break;
  }
  return "none surely faster";
}

}  // namespace

Layout lay_out(const Table& table) {
  const Scales scales = scales_of(table);
  Layout layout;
  layout.table = &table;
  layout.title = fmt::format("{}, {}", printable_line(table.problem), name_of(table.mode));
  layout.headline = headline(table);
  layout.gist = gist_of(table);
  layout.columns = columns_of(scales);
  for (const Row& row : table.rows) {
    layout.rows.push_back(cells_of(row, scales, verdict_text(row, layout.reasons)));
    layout.verdicts.push_back(row.verdict);
  }
  layout.remarks = remarks_of(table);
  drop_empty_columns(layout);
  return layout;
}

void drop_empty_columns(Layout& layout) {
  for (std::size_t column = layout.columns.size(); column-- > 0;) {
    const bool is_empty = layout.columns[column].number && !layout.rows.empty() &&
                          std::all_of(layout.rows.begin(), layout.rows.end(),
                                      [&](const auto& row) { return row[column] == kAbsent; });
    if (!is_empty) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    layout.columns.erase(layout.columns.begin() + at);
    for (auto& row : layout.rows) row.erase(row.begin() + at);
  }
}

std::size_t footnote_number(std::vector<std::string>& reasons, const std::string& reason) {
  const auto found = std::find(reasons.begin(), reasons.end(), reason);
  const auto index = static_cast<std::size_t>(found - reasons.begin());
  if (found == reasons.end()) reasons.push_back(reason);
  return index + 1;
}

std::string text_field(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? printable_line(found->get<std::string>())
                                                     : "";
}

const nlohmann::json& plan_list(const Report& report, const char* key) {
  static const nlohmann::json kNone = nlohmann::json::array();
  const auto plan = report.manifest.find("plan");
  if (plan == report.manifest.end() || !plan->is_object()) return kNone;
  const auto found = plan->find(key);
  return found != plan->end() && found->is_array() ? *found : kNone;
}

std::string name_of(const Report& report) { return text_field(report.manifest, "name"); }

std::string context_of(const Report& report) {
  std::vector<std::string> parts;
  const auto add = [&parts](const std::string& text) {
    if (!text.empty()) parts.push_back(text);
  };
  const auto device = report.manifest.find("device");
  const bool known = device != report.manifest.end();
  const std::string id = known ? text_field(*device, "id") : "";
  const std::string name = known ? text_field(*device, "name") : "";
  add(name.empty() || id.empty() ? name + id : fmt::format("{} ({})", name, id));
  const std::string version = text_field(report.manifest, "program_version");
  if (!version.empty()) add("msda " + version);
  add(text_field(report.manifest, "started"));
  const std::string status = text_field(report.manifest, "status");
  if (!status.empty()) add("run " + status);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string shortened(const std::string& reason) {
  constexpr int kLines = 12;
  std::size_t end = 0;
  for (int line = 0; line < kLines; ++line) {
    end = reason.find('\n', end);
    if (end == std::string::npos) return reason;
    ++end;
  }
  const auto begin = reason.begin() + static_cast<std::ptrdiff_t>(end);
  const auto rest = std::count(begin, reason.end(), '\n') + 1;
  return fmt::format("{}... ({} more lines in records.jsonl)", reason.substr(0, end), rest);
}

}  // namespace msda
