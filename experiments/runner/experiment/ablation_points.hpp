// From factors to arms: what each level puts on top of the base, and which combinations can run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/experiment/experiment.hpp"

namespace msda {

/// A parameter of a variant that the combination has to bring.
struct ParameterSetting {
  std::string variant;
  std::string parameter;
  ParameterValue value;
};

/// What one level of a factor changes; level 0 changes nothing.
struct LevelChange {
  std::vector<Use> uses;  ///< overlaid on the base's
  std::vector<ParameterSetting> settings;
};

struct FactorSpec {
  Factor factor;
  std::vector<LevelChange> changes;  ///< one for each level
};

/// What may not go together, in indices of factors; a factor counts as on at any level but 0.
struct FactorConstraints {
  std::vector<std::pair<std::size_t, std::size_t>> requirements;  ///< the first requires the second
  std::vector<std::vector<std::size_t>> exclusions;               ///< at most one of each set
};

/// Which combinations to ask for.
struct DesignRequest {
  std::vector<DesignKind> kinds;
  int resolution = 5;
  std::map<std::size_t, std::vector<std::size_t>> generators;  ///< of the fraction; empty: found
  std::optional<std::size_t>
      random;  ///< combinations besides the ends, or ladders besides the first
  std::uint64_t seed = 1;
  std::vector<Levels> list;
};

/// The base with the levels' changes. Throws UsageError when they do not go together: two factors
/// that set one parameter to different values, two variants for one slot.
std::vector<Use> combine(const Registry& registry, const std::vector<Use>& base,
                         const std::vector<FactorSpec>& factors, const Levels& levels);

/// All combinations that the request asks for, each once, the base first; those that cannot run are
/// dropped with the reason. Throws UsageError for a design that the factors do not allow: one of
/// several levels does not say which is on where all are, or all of them together cannot run though
/// the design needs that or nothing in `constraints` rules it out.
Design make_design(const Registry& registry, const std::vector<Use>& base,
                   const std::vector<FactorSpec>& factors, const FactorConstraints& constraints,
                   const DesignRequest& request);

}  // namespace msda
