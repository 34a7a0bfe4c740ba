#include "runner/plan/stop_rule.hpp"

#include <algorithm>
#include <map>

#include "statistics/statistics.hpp"

namespace msda {
namespace {

const Record* find_record(const std::vector<Record>& records, const std::string& arm) {
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const Record& r) { return r.arm == arm; });
  return found == records.end() ? nullptr : &*found;
}

/// Whether the arm may run again.
bool is_alive(const Record* record) { return !record || record->status == CellStatus::kOk; }

int process_count(const Record* record) {
  return record == nullptr ? 0 : static_cast<int>(record->processes.size());
}

/// Of all ratios to the baseline; absent when one has no interval, or there is none.
std::optional<double> widest(const Plan& plan, const std::vector<Record>& records) {
  const Record* baseline = find_record(records, plan.baseline);
  if (baseline == nullptr || baseline->status != CellStatus::kOk) return std::nullopt;
  // Those that a report makes; what the rule looks at must not tell the mean's luck.
  const PlannedProcesses planned{plan.measure.processes};
  std::optional<double> widest;
  for (const Record& record : records) {
    if (record.status != CellStatus::kOk || record.arm == plan.baseline) continue;
    const auto ratio = estimate_ratio(baseline->samples, record.samples, planned);
    if (!ratio || !ratio->interval_95) return std::nullopt;
    // Of a logarithm, so that both ends are as many times away.
    const double half = ratio->interval_95->high / ratio->ratio - 1;
    widest = std::max(widest.value_or(0), half);
  }
  return widest;
}

/// Arms of one process share its blocks; each process counts once.
double measured_seconds(const std::vector<Record>& records) {
  std::map<int, double> by_process;
  for (const Record& record : records) {
    for (const ProcessRun& run : record.processes) {
      double& seconds = by_process[run.process];
      seconds = std::max(seconds, run.measured_seconds);
    }
  }
  double sum = 0;
  for (const auto& [process, seconds] : by_process) sum += seconds;
  return sum;
}

}  // namespace

GroupState group_state(const Plan& plan, const std::vector<Record>& records) {
  const MeasureSettings& measure = plan.measure;
  GroupState state;
  state.measured_seconds = measured_seconds(records);
  std::optional<int> fewest;
  for (const Arm& arm : plan.arms) {
    const Record* record = find_record(records, arm.name);
    if (is_alive(record))
      fewest = std::min(fewest.value_or(process_count(record)), process_count(record));
  }
  if (!fewest) {
    state.stopped_by = "no arm";
    return state;
  }
  state.processes = *fewest;
  if (state.processes < measure.processes) return state;
  state.precision = widest(plan, records);
  const double next = state.measured_seconds + measure.budget_of_process().count();
  if (state.precision && *state.precision <= measure.precision) {
    state.stopped_by = "precision";
  } else if (state.processes >= measure.most_processes || !state.precision) {
    state.stopped_by = "processes";
  } else if (next > measure.budget.count()) {
    state.stopped_by = "budget";
  }
  return state;
}

std::vector<std::string> waiting_arms(const Plan& plan, const std::vector<Record>& records,
                                      int processes) {
  std::vector<std::string> names;
  for (const Arm& arm : plan.arms) {
    const Record* record = find_record(records, arm.name);
    if (is_alive(record) && process_count(record) <= processes) names.push_back(arm.name);
  }
  return names;
}

int next_process(const std::vector<Record>& records) {
  int next = 0;
  for (const Record& record : records) {
    for (const ProcessRun& run : record.processes) next = std::max(next, run.process + 1);
  }
  return next;
}

}  // namespace msda
