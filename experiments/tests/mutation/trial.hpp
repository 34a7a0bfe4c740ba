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
  bool valid = true;  ///< false: the edit does not compile
  std::string suite;  ///< of the check that found it
  std::string check;
  std::string how;                 ///< its words, or how the process ended
  int tried = 0;                   ///< checks
  std::vector<std::string> red{};  ///< checks that fail without the edit, and so find nothing
  int unending = 0;                ///< checks that did not come to an end, and so found nothing
};

/// Runs the trials, several at a time, each until a check finds its mutant: one that fails with the
/// edit and passes without. Calls `on_begin` as they begin, which may reorder their checks, and
/// `on_outcome` as they end.
void run_trials(std::vector<Trial> trials, const std::function<void(Trial&)>& on_begin,
                const std::function<void(const Trial&, const Outcome&)>& on_outcome);

}  // namespace msda
