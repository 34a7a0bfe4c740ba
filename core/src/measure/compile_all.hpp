// Compilation of many arms at the same time.
#pragma once

#include <exception>
#include <functional>
#include <vector>

#include "device/device.hpp"

namespace msda {

/// What became of one composition in compile_all().
struct CompileOutcome {
  Build build;
  std::exception_ptr failure;  ///< what its compilation threw; null when it went well
};

/// How far compile_all() is.
struct CompileProgress {
  int done = 0;  ///< compositions that compiled or failed
  int count = 0;
  int from_cache = 0;  ///< of those done
  double seconds = 0;  ///< since compile_all() began
};

/// Compiles all compositions for the problem at the same time, on all hardware threads. Calls
/// `on_progress` after each, one call at a time, from any thread. What a compilation throws stays
/// in its own outcome.
std::vector<CompileOutcome> compile_all(
    Device& device, const std::vector<const Composition*>& compositions, const Problem& problem,
    const std::function<void(const CompileProgress&)>& on_progress);

}  // namespace msda
