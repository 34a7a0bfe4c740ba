// What `msda tune` searches: a space, what its points put into a composition, and how long to look.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compose/composition.hpp"
#include "design/space.hpp"

namespace msda {

/// What the levels of one factor of the space stand for.
struct SpaceChoice {
  /// Of a factor that chooses a variant, by level; an empty one adds nothing to the base.
  std::vector<std::optional<Use>> alternatives;
  std::string parameter;               ///< of a factor that sets a parameter: its name
  std::vector<ParameterValue> values;  ///< and its values, by level
};

struct SpaceSpec {
  SearchSpace space;
  std::vector<SpaceChoice> choices;  ///< one for each factor of the space
  std::vector<Use> base;             ///< what every composition has
  /// Largest relative L2 error of a composition that is wanted; absent: what verification allows
  /// the problem's storage types.
  std::optional<double> error;
  /// Wall-clock time for the search of one problem in one mode; the confirmation comes out of it.
  std::chrono::duration<double> budget{300};
  std::uint64_t enumerate = 4096;  ///< of a space that is no larger every point is measured
  int finalists = 4;               ///< that are confirmed
  /// One search for all problems, by the geometric mean of its times, in place of one for each.
  bool together = false;
  /// Of a search for all: how much slower than the fastest arm of the confirmation a winner may be
  /// on any one problem, as a share of its time.
  double worst = 0.1;
};

/// The composition of a point: the base, overlaid with what each level brings. Whether its parts go
/// together is not asked.
std::vector<Use> uses_at(const Registry& registry, const SpaceSpec& spec, const Levels& levels);

}  // namespace msda
