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

}  // namespace msda
