#include "runner/supervise/device_queue.hpp"

#include <fmt/format.h>

namespace msda {

DeviceQueue::DeviceQueue(const Plan& plan, std::string experiment, std::vector<Group> groups,
                         Supervisor& supervisor, RunRecords& records, Progress& progress)
    : plan_(plan),
      experiment_(std::move(experiment)),
      groups_(std::move(groups)),
      supervisor_(supervisor),
      records_(records),
      progress_(progress) {}

void DeviceQueue::run() {
  while (run_round()) supervisor_.end_worker();
}

bool DeviceQueue::run_round() {
  bool any = false;
  for (const Group& group : groups_) {
    const std::vector<Record> records = records_.of(plan_.problem_of(group).name(), group.mode);
    const GroupState state = group_state(plan_, records);
    if (!state.stopped_by.empty()) continue;
    run_group(group, state, records);
    any = true;
  }
  return any;
}

void DeviceQueue::run_group(const Group& group, const GroupState& state,
                            const std::vector<Record>& records) {
  GroupRequest request;
  request.experiment = experiment_;
  request.problem = plan_.problem_of(group);
  request.mode = group.mode;
  request.baseline = plan_.baseline;
  request.measure = plan_.measure;
  request.process = next_process(records);
  request.arms = entries_of(arms_of(plan_, group));
  request.timed = plan_.measures();
  request.evidence = state.processes == 0;
  std::string title = fmt::format("{} {}", request.problem.name(), name_of(group.mode));
  if (plan_.measure.processes > 1) title += fmt::format(", process {}", state.processes + 1);
  progress_.begin_group(title, state.processes >= plan_.measure.processes);
  supervisor_.run(
      request, waiting_arms(plan_, records, state.processes),
      [&](const Record& record) {
        records_.add(record);
        progress_.on_record(record);
      },
      records);
  records_.add(supervisor_.take_ranges());
  progress_.end_group();
}

}  // namespace msda
