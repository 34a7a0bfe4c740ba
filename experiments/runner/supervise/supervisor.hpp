// Keeps a run going whatever a variant does: drives a worker process, finds out which cell made it
// crash or hang, and starts another for the rest.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "results/record.hpp"
#include "runner/protocol/phase.hpp"
#include "runner/protocol/protocol.hpp"
#include "runner/supervise/range_log.hpp"
#include "runner/supervise/worker_process.hpp"

namespace msda {

/// The user stopped the run (SIGINT or SIGTERM); what had ended is on disk.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};
inline constexpr int kInterruptedExitCode = 130;

/// A worker could not be killed: its device does not answer, and nothing more can run on it.
class DeviceUnusable : public EnvironmentError {
 public:
  using EnvironmentError::EnvironmentError;
};

struct SupervisorOptions {
  std::filesystem::path program;  ///< the msda program, which is its own worker
  std::string device;             ///< "cpu", "cuda:N", "simt"
  std::vector<std::filesystem::path> plugin_directories;
  bool ceilings = false;  ///< have the worker measure the device's ceilings
  KillPolicy kill{};
  /// A program around the worker and its arguments, a profiler; the worker's command line follows.
  std::vector<std::string> launcher{};
};

class Supervisor {
 public:
  using OnRecord = std::function<void(const Record&)>;
  using OnEvent = std::function<void(const nlohmann::json&)>;

  /// `on_event` sees every event of the worker (for progress); it may be empty.
  explicit Supervisor(SupervisorOptions options, OnEvent on_event = {});

  /// `check` is called whenever a worker has started, before it gets work; what it throws ends the
  /// run.
  void check_each_start(std::function<void()> check) { check_start_ = std::move(check); }

  /// What the worker said when its device was open: "device", "provenance" and "ceilings". Starts
  /// it. Throws EnvironmentError when it cannot start, Interrupted.
  const nlohmann::json& ready();

  /// Runs `arms` of the group as process number `request.process` and calls `on_record` for each as
  /// soon as it has ended, with the samples of that process alone; `request.measure.timeouts` are
  /// the longest silences. After a crash or a hang the arms that are left run again in a new
  /// process, which takes the next number. An arm is never timed without the baseline beside it:
  /// one that is among the `finished` records (of earlier processes) and ok runs again. Throws
  /// Interrupted, and DeviceUnusable after the record of the arm that was at work.
  void run(const GroupRequest& request, const std::vector<std::string>& arms,
           const OnRecord& on_record, const std::vector<Record>& finished = {});

  /// Lets the worker end by itself, so that what is around it can write what it has; kills it after
  /// `patience`. Throws DeviceUnusable.
  void finish_worker(std::chrono::duration<double> patience);

  /// Ends the worker; the next run() starts another. Throws DeviceUnusable.
  void end_worker();

  /// Seconds that this run has spent in each phase, by its name; "start" and "between" included.
  const std::map<std::string, double>& phase_seconds() const { return phases_.seconds(); }
  /// Which phases the workers were in since the last call, and when.
  std::vector<RunRange> take_ranges() { return ranges_.take(); }

 private:
  struct Attempt;
  void start();
  void enter(const std::string& phase, std::map<std::string, double> steps = {});
  void follow_event(Attempt& attempt, const nlohmann::json& event);
  void end_lost(Attempt& attempt);
  void end_silent(Attempt& attempt, double seconds);
  void end_foreign(Attempt& attempt, const std::string& line);
  void follow(Attempt& attempt);
  void take_record(Attempt& attempt, const nlohmann::json& event);
  void blame(Attempt& attempt, CellStatus status, const std::string& reason);
  Record record_of_guilty(const Attempt& attempt, const ArmEntry& arm) const;
  GroupRequest next_request(const Attempt& attempt) const;

  SupervisorOptions options_;
  OnEvent on_event_;
  std::function<void()> check_start_;
  Interrupts interrupts_;
  std::unique_ptr<WorkerProcess> worker_;
  std::string token_;  ///< of the worker
  nlohmann::json ready_;
  PhaseTimes phases_;
  RangeLog ranges_;
};

}  // namespace msda
