// What commands that measure have in common: workers on the plan's devices, a manifest that says
// how the run stands, records, and an end that is told however it comes.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runner/plan/plan.hpp"
#include "runner/supervise/manifest.hpp"
#include "runner/supervise/run_records.hpp"
#include "runner/supervise/supervisor.hpp"
#include "runner/supervise/watched_files.hpp"

namespace msda {

struct SessionOptions {
  std::filesystem::path program;  ///< the msda program
  std::vector<std::string> command_line;
  std::vector<std::filesystem::path> plugin_directories;
  bool resume = false;  ///< the directory holds an earlier run to go on with
  std::FILE* progress = stderr;
  bool progress_live = false;  ///< `progress` is a terminal
};

class RunSession {
 public:
  using Change = std::function<void(Manifest&)>;
  /// Sees the events of the worker of the plan's device `device`.
  using OnEvent = std::function<void(std::size_t device, const nlohmann::json& event)>;
  /// Does the groups that are the device's, in a thread of its own.
  using Work = std::function<void(std::size_t device, const std::vector<Group>& groups)>;

  RunSession(const Experiment& experiment, const Plan& plan, const std::filesystem::path& directory,
             const SessionOptions& options, const OnEvent& on_event);

  /// The manifest is on the disk when it returns; nothing is when the device does not open. `add`
  /// is for what the command has beside: it fills in a new manifest, or refuses an earlier one with
  /// a UsageError. Throws UsageError as check_resumable() does, and when the directory already
  /// holds a run and none is resumed, and when another program began the run.
  void begin(const Registry& registry, const Change& add = {});

  /// Calls `work` for each device. However it ends, the manifest then says so, unless that cannot
  /// be written; `conclude` has the last word about it. Throws what ended the first device's share
  /// that did not end well, after all have ended.
  void run(const Work& work, const Change& conclude = {});

  /// Changes the manifest, and has it on the disk before it returns. Callable from `work`.
  void change(const Change& change);

  const Manifest& manifest() const { return manifest_; }
  RunRecords& records() { return *records_; }
  Supervisor& supervisor(std::size_t device) { return *supervisors_.at(device); }

 private:
  void work_on_all(const Work& work);
  void keep_ranges(Supervisor& supervisor) noexcept;
  void end(const char* status, const Change& conclude, const std::string& because = "");
  void end_after_failure(const char* status, const Change& conclude,
                         const std::string& because = "");

  const Experiment& experiment_;
  const Plan& plan_;
  const std::filesystem::path directory_;
  const SessionOptions& options_;
  std::optional<WatchedFiles> watched_;
  std::mutex mutex_;  ///< of the manifest
  Manifest manifest_;
  std::optional<RunRecords> records_;
  std::vector<std::unique_ptr<Supervisor>> supervisors_;  ///< one for each device
};

}  // namespace msda
