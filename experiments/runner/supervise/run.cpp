#include "runner/supervise/run.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "runner/supervise/device_queue.hpp"
#include "runner/supervise/manifest.hpp"
#include "runner/supervise/progress.hpp"
#include "runner/supervise/say.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

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

/// A run from its first worker to its last record.
class Run {
 public:
  Run(const Experiment& experiment, const Plan& plan, const fs::path& directory,
      const RunOptions& options)
      : experiment_(experiment), plan_(plan), directory_(directory), options_(options) {
    for (const std::string& device : plan.devices) {
      SupervisorOptions supervisor{options.program, device, options.plugin_directories,
                                   supervisors_.empty() && plan.measures()};
      supervisors_.push_back(std::make_unique<Supervisor>(
          std::move(supervisor), [this](const json& event) { progress_->on_event(event); }));
    }
  }

  /// The manifest is on the disk when it returns; nothing is when the device does not open.
  void begin(const Registry& registry) {
    if (options_.resume) {
      manifest_ = read_manifest(directory_);
      check_resumable(manifest_, experiment_, plan_, registry);
      manifest_["status"] = run_status::kRunning;
      manifest_["resumed"].push_back(
          {{"time", utc_time()}, {"command_line", options_.command_line}});
    } else {
      manifest_ = make_manifest(experiment_, plan_, registry, supervisors_.front()->ready(),
                                options_.command_line);
    }
    write_manifest(directory_, manifest_);
    records_.emplace(directory_ / kRecordsFile);
    progress_.emplace(options_.progress, options_.progress_live, planned_steps(plan_, *records_),
                      plan_.measure);
  }

  /// Throws what ended the first device's share that did not end well, after all have ended.
  void run() {
    const auto count = static_cast<int>(supervisors_.size());
    std::vector<std::exception_ptr> failures(supervisors_.size());
    std::vector<std::thread> threads;
    threads.reserve(failures.size());
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([this, i, count, &failures] {
        const auto place = static_cast<std::size_t>(i);
        try {
          DeviceQueue(plan_, experiment_.name, part_of(plan_.groups, {i + 1, count}),
                      *supervisors_[place], *records_, *progress_)
              .run();
        } catch (...) {
          failures[place] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
  }

  void end(const char* status, const std::string& because = "") {
    manifest_["status"] = status;
    manifest_.erase("stopped_because");
    if (!because.empty()) manifest_["stopped_because"] = because;
    manifest_["ended"] = utc_time();
    manifest_["groups"] = groups_to_json();
    add_times();
    write_manifest(directory_, manifest_);
  }

  /// The same for a run that an exception ends: nothing may take that one's place.
  void end_after_failure(const char* status, const std::string& because = "") {
    try {
      end(status, because);
    } catch (const std::exception& error) {
      say(options_.progress, "The manifest still says that the run goes on: {}\n", error.what());
    }
  }

  RunOutcome outcome() const { return {records_->failures(), records_->interrupted()}; }

 private:
  json groups_to_json() const {
    json groups = json::array();
    for (const Group& group : plan_.groups) {
      const std::string& problem = plan_.problem_of(group).name();
      const GroupState state = group_state(plan_, records_->of(problem, group.mode));
      groups.push_back({{"problem", problem},
                        {"mode", name_of(group.mode)},
                        {"processes", state.processes},
                        {"measured_seconds", state.measured_seconds},
                        {"stopped_by", state.stopped_by},
                        {"precision", state.precision ? json(*state.precision) : json()}});
    }
    return groups;
  }

  /// Adds this attempt's time to that of earlier ones.
  void add_times() {
    std::map<std::string, double> phases;
    for (const auto& supervisor : supervisors_) {
      for (const auto& [phase, seconds] : supervisor->phase_seconds()) phases[phase] += seconds;
    }
    manifest_["time"] = added_times(manifest_.value("time", json::object()), time_to_json(phases));
  }

  const Experiment& experiment_;
  const Plan& plan_;
  const fs::path& directory_;
  const RunOptions& options_;
  json manifest_;
  std::optional<RunRecords> records_;
  std::optional<Progress> progress_;
  std::vector<std::unique_ptr<Supervisor>> supervisors_;  ///< one for each device
};

}  // namespace

RunOutcome run_experiment(const Experiment& experiment, const Plan& plan, const Registry& registry,
                          const ResultsDirectory& directory, const RunOptions& options) {
  if (!options.resume && fs::exists(directory.path() / kManifestFile)) {
    throw UsageError(
        fmt::format("{} already holds a run; go on with it by --resume, or give another --output",
                    directory.path().string()));
  }
  Run run(experiment, plan, directory.path(), options);
  run.begin(registry);
  try {
    run.run();
  } catch (const Interrupted&) {
    run.end_after_failure(run_status::kInterrupted);
    throw;
  } catch (const std::exception& error) {
    run.end_after_failure(run_status::kStopped, error.what());
    throw;
  }
  const RunOutcome outcome = run.outcome();
  run.end(outcome.interrupted == 0 ? run_status::kComplete : run_status::kInterrupted);
  return outcome;
}

}  // namespace msda
