#include "report/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <msda/error.hpp>

namespace msda {
namespace {

/// Two estimates are on one footing: of processes only where both runs have several.
LogEstimate log_time_of(const Record& record, bool of_processes, PlannedProcesses planned) {
  LogsByProcess logs;
  for (const auto& [key, log_time] : log_medians(record.samples)) {
    logs[of_processes ? key.first : 0].push_back(log_time);
  }
  return mean_of(logs, planned);
}

int processes_of(const Record& record) {
  std::set<int> processes;
  for (const auto& [key, unused] : log_medians(record.samples)) processes.insert(key.first);
  return static_cast<int>(processes.size());
}

/// A row and how many processes its run had planned.
struct CellRow {
  const Row* row = nullptr;
  PlannedProcesses planned;
};

/// log(time before / time after); the runs share no block.
std::optional<LogEstimate> compare_times(const CellRow& before, const CellRow& after) {
  const int first = processes_of(before.row->record);
  const int second = processes_of(after.row->record);
  if (first == 0 || second == 0) return std::nullopt;
  const bool of_processes = first > 1 && second > 1;
  const auto log_time = [&](const CellRow& of) {
    return log_time_of(of.row->record, of_processes, of.planned);
  };
  return msda::sum_of({{1, log_time(before)}, {-1, log_time(after)}});
}

/// Corrected over all cells of the comparison, so that a run of a hundred cells that did not change
/// is called worse somewhere in 5% of comparisons, not nearly always.
void judge(const std::vector<std::optional<LogEstimate>>& estimates, double threshold,
           std::vector<CellChange>& changes) {
  std::vector<std::size_t> tested;
  std::vector<double> inside;
  std::vector<double> outside;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!estimates[i]) continue;
    CellChange& change = changes[i];
    change.ratio = std::exp(estimates[i]->value);
    change.ratio_95 = interval_95(*estimates[i]);
    change.replication = estimates[i]->replication;
    change.change = Change::kUndecided;
    if (!change.ratio_95) {
      change.reason = "one block, so no interval";
      continue;
    }
    tested.push_back(i);
    inside.push_back(p_inside(*estimates[i], log_range(threshold)));
    outside.push_back(p_outside(*estimates[i], log_range(threshold)));
  }
  inside = holm(inside);
  outside = holm(outside);
  constexpr double kLevel = 0.05;
  for (std::size_t k = 0; k < tested.size(); ++k) {
    CellChange& change = changes[tested[k]];
    if (inside[k] <= kLevel) {
      change.change = *change.ratio < 1 ? Change::kWorse : Change::kBetter;
    } else if (outside[k] <= kLevel) {
      change.change = Change::kEqual;
    }
  }
}

/// What two rows of a cell say; `estimate` is filled where both have a time.
CellChange compare_cell(const CellRow& old, const CellRow& fresh,
                        std::optional<LogEstimate>& estimate) {
  const Row& before = *old.row;
  const Row& after = *fresh.row;
  CellChange change;
  change.cell = before.record.cell;
  change.before_seconds = before.median_seconds;
  change.after_seconds = after.median_seconds;
  if (before.timed() && after.timed()) {
    estimate = compare_times(old, fresh);
  } else if (before.timed()) {
    change.reason = fmt::format("had a time, now {}: {}", after.verdict, after.record.reason);
    const CellStatus status = after.record.status;
    const bool says_nothing = status == CellStatus::kSkipped || status == CellStatus::kInterrupted;
    if (!says_nothing) change.change = Change::kWorse;
  } else {
    change.reason = fmt::format("had no time: {}", before.verdict);
  }
  return change;
}

std::map<std::string, CellRow> rows_by_cell(const Report& report) {
  std::map<std::string, CellRow> rows;
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) rows[row.record.cell] = {&row, table.planned};
  }
  return rows;
}

const ProblemEntry* problem_of(const Report& report, const std::string& name) {
  const auto& problems = report.manifest.problems;
  const auto found = std::ranges::find(problems, name, &ProblemEntry::name);
  return found == problems.end() ? nullptr : &*found;
}

/// Why times on the problem `name` of both say nothing about the arms; "" where they do.
std::string why_unlike(const Report& before, const Report& after, const std::string& name) {
  const ProblemEntry* const first = problem_of(before, name);
  const ProblemEntry* const second = problem_of(after, name);
  if (first == nullptr || second == nullptr || is_like(*first, *second)) return "";
  if (first->description == second->description) {
    return "another problem of this name: the points are drawn in another way";
  }
  return fmt::format("another problem of this name: {}, then {}", first->description,
                     second->description);
}

/// The device's model; "" where the manifest does not tell.
std::string device_of(const Report& report) {
  const Manifest& manifest = report.manifest;
  if (!manifest.device) return "";
  const bool is_processor = manifest.device->kind == DeviceKind::kCpu;
  return is_processor && !manifest.cpu_model.empty() ? manifest.cpu_model : manifest.device->name;
}

void check_comparable(const Report& before, const Report& after) {
  const std::string first = device_of(before);
  const std::string second = device_of(after);
  if (first != second && !first.empty() && !second.empty()) {
    throw UsageError(fmt::format(
        "compare: the first run is of {}, the second of {}; times of different devices say "
        "nothing about what changed",
        first, second));
  }
  const auto cells = rows_by_cell(before);
  const auto others = rows_by_cell(after);
  const bool any =
      std::ranges::any_of(cells, [&](const auto& cell) { return others.contains(cell.first); });
  if (!any) {
    throw UsageError(
        fmt::format("compare: the runs have no cell in common; the first has {}, the second {}",
                    cells.empty() ? "none" : cells.begin()->first + ", ...",
                    others.empty() ? "none" : others.begin()->first + ", ..."));
  }
}

}  // namespace

std::string_view name_of(Change change) {
  switch (change) {
    case Change::kBetter: return "better";
    case Change::kWorse: return "worse";
    case Change::kEqual: return "equal";
    case Change::kUndecided: return "undecided";
    case Change::kNotComparable: break;
  }
  return "not comparable";
}

std::vector<CellChange> compare_runs(const Report& before, const Report& after, double threshold) {
  check_comparable(before, after);
  auto later = rows_by_cell(after);
  std::vector<CellChange> changes;
  std::vector<std::optional<LogEstimate>> estimates;
  for (const Table& table : before.tables) {
    for (const Row& row : table.rows) {
      const auto found = later.find(row.record.cell);
      estimates.emplace_back();
      if (found == later.end()) {
        CellChange& missing = changes.emplace_back();
        missing.cell = row.record.cell;
        missing.before_seconds = row.median_seconds;
        missing.reason = "only in the first run";
        continue;
      }
      changes.push_back(compare_cell({&row, table.planned}, found->second, estimates.back()));
      const std::string unlike = why_unlike(before, after, row.record.problem);
      if (!unlike.empty()) {
        changes.back().change = Change::kNotComparable;
        changes.back().reason = unlike;
        estimates.back().reset();
      }
      later.erase(found);
    }
  }
  for (const auto& [cell, measured] : later) {
    CellChange& fresh = changes.emplace_back();
    fresh.cell = cell;
    fresh.after_seconds = measured.row->median_seconds;
    fresh.reason = "only in the second run";
  }
  estimates.resize(changes.size());
  judge(estimates, threshold, changes);
  return changes;
}

}  // namespace msda
