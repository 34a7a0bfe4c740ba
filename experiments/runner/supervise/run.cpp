#include "runner/supervise/run.hpp"

#include <algorithm>
#include <limits>

#include "runner/supervise/device_queue.hpp"
#include "runner/supervise/progress.hpp"

namespace msda {
namespace {

/// How many times a group has to be run, without what the stop rule may add.
std::size_t planned_steps(const Plan& plan, const RunRecords& records) {
  int steps = 0;
  for (const Group& group : plan.groups) {
    const GroupState state =
        group_state(plan, records.of(plan.problem_of(group).name(), group.mode));
    if (state.stopped_by.empty()) {
      steps += std::max(1, plan.measure.processes - state.processes);
    }
  }
  return static_cast<std::size_t>(steps);
}

std::vector<GroupEntry> group_entries(const Plan& plan, const RunRecords& records) {
  std::vector<GroupEntry> entries;
  for (const Group& group : plan.groups) {
    const std::string& problem = plan.problem_of(group).name();
    const GroupState state = group_state(plan, records.of(problem, group.mode));
    entries.push_back({problem, group.mode, state.processes, state.measured_seconds,
                       state.stopped_by,
                       state.precision.value_or(std::numeric_limits<double>::quiet_NaN())});
  }
  return entries;
}

}  // namespace

RunOutcome run_experiment(const Experiment& experiment, const Plan& plan, const Registry& registry,
                          const ResultsDirectory& directory, const SessionOptions& options) {
  std::optional<Progress> progress;
  RunSession session(experiment, plan, directory.path(), options,
                     [&](std::size_t, const auto& event) { progress->on_event(event); });
  session.begin(registry);
  RunRecords& records = session.records();
  progress.emplace(options.progress, options.progress_live, planned_steps(plan, records),
                   plan.measure);
  session.run(
      [&](std::size_t device, const std::vector<Group>& groups) {
        DeviceQueue(plan, experiment.name, groups, session.supervisor(device), records, *progress)
            .run();
      },
      [&](Manifest& manifest) {
        manifest.groups = group_entries(plan, records);
        const bool complete = manifest.status == run_status::kComplete;
        if (complete && records.interrupted() > 0) manifest.status = run_status::kInterrupted;
      });
  return {records.failures(), records.interrupted()};
}

}  // namespace msda
