// Runs an experiment from its plan to its results directory.
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/plan/plan.hpp"
#include "runner/supervise/supervisor.hpp"

namespace msda {

struct RunOptions {
  std::filesystem::path program;  ///< the msda program
  std::vector<std::string> command_line;
  std::vector<std::filesystem::path> plugin_directories;
  std::filesystem::path directory;  ///< of the results; created
  bool resume = false;              ///< `directory` holds an earlier run to go on with
  std::FILE* progress = stderr;
  bool progress_live = false;  ///< `progress` is a terminal
};

/// manifest.json and records.jsonl in `options.directory`; each record is there before the next
/// cell ends. Returns the number of cells that did not end ok or skipped. Throws Interrupted and
/// DeviceUnusable after the manifest says so; UsageError when the directory already holds a run and
/// `resume` is not asked for.
int run_experiment(const Experiment& experiment, const Plan& plan, const Registry& registry,
                   const RunOptions& options);

/// "results/<name>/<time>", with a number behind it when that is there already.
std::filesystem::path default_results_directory(const std::string& name);

}  // namespace msda
