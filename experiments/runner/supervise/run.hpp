// Runs an experiment from its plan to its results directory.
#pragma once

#include "runner/supervise/results_directory.hpp"
#include "runner/supervise/run_session.hpp"

namespace msda {

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
                          const ResultsDirectory& directory, const SessionOptions& options);

}  // namespace msda
