// Runs an experiment from its plan to its results directory.
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/plan/plan.hpp"
#include "runner/supervise/results_directory.hpp"
#include "runner/supervise/supervisor.hpp"

namespace msda {

struct RunOptions {
  std::filesystem::path program;  ///< the msda program
  std::vector<std::string> command_line;
  std::vector<std::filesystem::path> plugin_directories;
  bool resume = false;  ///< the directory holds an earlier run to go on with
  std::FILE* progress = stderr;
  bool progress_live = false;  ///< `progress` is a terminal
};

/// How the cells of a run ended.
struct RunOutcome {
  int failures = 0;     ///< did not end ok or skipped
  int interrupted = 0;  ///< of these, those that something outside the run ended
};

/// manifest.json and records.jsonl in `directory`; each record is there before the next cell ends.
/// However it ends, the manifest says so, unless that cannot be written. Throws Interrupted;
/// DeviceUnusable and other errors that end a run; UsageError when the directory already holds a
/// run and `resume` is not asked for, or one that is not of this experiment, plan and program and
/// `resume` is.
RunOutcome run_experiment(const Experiment& experiment, const Plan& plan, const Registry& registry,
                          const ResultsDirectory& directory, const RunOptions& options);

}  // namespace msda
