// What an optimization says whose device code cannot work with level sizes that are no constants
// ("Levels: fixed, given, stored" in docs/experiments.md).
#pragma once

#include <string>

#include <msda/variant.hpp>

namespace msda {

/// Traits of a composition whose level sizes are given or stored, and of one with stored sizes.
inline constexpr const char* kRunTimeLevelsTrait = "run-time-levels";
inline constexpr const char* kStoredLevelsTrait = "stored-levels";

/// For Optimization::Slot::excludes: the code needs constant level sizes. `reason` is a clause that
/// says why, for users of the composition.
inline Optimization::Exclusion needs_fixed_levels(std::string reason) {
  return {kRunTimeLevelsTrait, std::move(reason)};
}
/// The same of code that works with sizes that the host knows, but not with stored ones.
inline Optimization::Exclusion needs_known_levels(std::string reason) {
  return {kStoredLevelsTrait, std::move(reason)};
}

}  // namespace msda
