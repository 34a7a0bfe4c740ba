// `msda tune`: searches the space of an experiment for each of its problems and modes, confirms the
// best and keeps the winners.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/experiment/winners.hpp"
#include "runner/plan/plan.hpp"
#include "runner/supervise/run_session.hpp"

namespace msda {

struct TuneOptions : SessionOptions {
  std::filesystem::path directory;  ///< of the results; created
  std::uint64_t seed = 1;
  std::optional<double> budget_seconds{};  ///< in place of the space's
};

struct TuneOutcome {
  /// One for each problem and mode whose confirmation came to its end: the baseline where nothing
  /// was confirmed to be faster.
  std::vector<Winner> winners;
  int failures = 0;  ///< problems and modes without one, because the baseline failed there
};

/// manifest.json, search.jsonl and records.jsonl (of the confirmation) in `options.directory`; each
/// trial is there before the next begins. Throws Interrupted, DeviceUnusable and UsageError as
/// run_experiment() does.
TuneOutcome tune(const Experiment& experiment, const Plan& plan, const Registry& registry,
                 const TuneOptions& options);

/// The arm that a search on a problem has to beat: the plan's baseline, or the first of `arms` that
/// can run where that one cannot; nullptr when none can.
const Arm* baseline_for(const Plan& plan, const std::vector<Arm>& arms, const ProblemSpec& problem);
/// Why nothing can be searched in a mode on the plan's device, "a CPU has no graphs to launch"; or
/// "".
std::string mode_refusal(const Plan& plan, TimingMode mode);
/// The arms that can be candidates, the baseline and its repetitions left out.
std::vector<Arm> known_arms(const std::vector<Arm>& arms, const Arm& baseline);

}  // namespace msda
