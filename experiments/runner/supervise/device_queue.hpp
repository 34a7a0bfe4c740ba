// One device's share of a run: its groups, process by process.
#pragma once

#include <string>
#include <vector>

#include "runner/plan/plan.hpp"
#include "runner/plan/stop_rule.hpp"
#include "runner/supervise/progress.hpp"
#include "runner/supervise/run_records.hpp"
#include "runner/supervise/supervisor.hpp"

namespace msda {

/// Every round gives each group that needs one a further process, and all of them the same worker:
/// so a run pays for as many starts as there are processes, and the processes of a group are spread
/// over the time of the run.
class DeviceQueue {
 public:
  /// `groups` are those of the plan that run on the supervisor's device. A worker that it already
  /// has serves the first round.
  DeviceQueue(const Plan& plan, std::string experiment, std::vector<Group> groups,
              Supervisor& supervisor, RunRecords& records, Progress& progress);

  /// Runs until no group needs another process. Throws Interrupted, DeviceUnusable,
  /// EnvironmentError when the device cannot be opened again.
  void run();

 private:
  bool run_round();
  void run_group(const Group& group, const GroupState& state, const std::vector<Record>& records);

  const Plan& plan_;
  std::string experiment_;
  std::vector<Group> groups_;
  Supervisor& supervisor_;
  RunRecords& records_;
  Progress& progress_;
};

}  // namespace msda
