// Trials of mutants, each in a process of its own: device code that was made wrong may crash, or
// run for ever.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "conformance/simt_checks.hpp"
#include "mutation/mutants.hpp"

namespace msda {

struct Trial {
  const Mutant* mutant = nullptr;
  std::vector<const SimtCheck*> checks;  ///< in the order in which they are tried
};

struct Outcome {
  bool found = false;
  std::string suite;  ///< of the check that found it
  std::string check;
  std::string how;  ///< its words, or how the process ended
  int tried = 0;    ///< checks
};

/// Runs the trials, several at a time, each until a check finds its mutant. Calls `on_outcome` as
/// they end.
void run_trials(const std::vector<Trial>& trials,
                const std::function<void(const Trial&, const Outcome&)>& on_outcome);

}  // namespace msda
