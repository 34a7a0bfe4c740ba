// A Design says which level every factor of an ablation has in every arm. It is written into the
// manifest of a run, so that effects can be estimated from the run's directory alone.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "names.hpp"

namespace msda {

/// One thing that is varied. Level 0 is what the base has.
struct Factor {
  std::string name;
  std::vector<std::string> levels;  ///< at least two names, "off" and "on" for an optimization
  /// The level that counts as on where everything is, in `all`, ladders and leave-one-out. Absent:
  /// the last, which a factor of two levels has no choice about.
  std::optional<int> stated_on{};

  int last() const { return static_cast<int>(levels.size()) - 1; }
  int on() const { return stated_on.value_or(last()); }
  bool has_one_way_on() const { return levels.size() == 2 || stated_on.has_value(); }
};

enum class DesignKind {
  kAddOne,       ///< the base, and each factor alone on top of it
  kLeaveOneOut,  ///< all factors on, and each one taken away
  kLadder,       ///< one factor after the other, in the order of the factors or in random orders
  kFull,         ///< every combination of levels
  kFractional,   ///< a regular fraction of the combinations of two-level factors
  kList,         ///< the combinations that were written down
};
std::string_view name_of(DesignKind kind);

template <>
struct Named<DesignKind> {
  using K = DesignKind;
  static constexpr const char* kWhat = "design";
  static constexpr std::array kValues = {K::kAddOne, K::kLeaveOneOut, K::kLadder,
                                         K::kFull,   K::kFractional,  K::kList};
};

/// The level of each factor, in the factors' order.
using Levels = std::vector<int>;

struct DesignPoint {
  std::string arm;
  Levels levels;
};

/// A combination that cannot run.
struct DroppedPoint {
  DesignPoint point;
  std::string reason;
};

/// A regular fraction in letters: factor 0 is A, factor 1 is B, and so on.
struct Fraction {
  int resolution = 0;
  std::vector<std::string> generators;  ///< "E = -ABCD"
  std::vector<std::string> relation;    ///< defining words, "-ABCDE"
  std::vector<std::string> aliases;  ///< "A = -BCDE", of main effects and two-factor interactions
};

struct Design {
  std::vector<DesignKind> kinds;  ///< whose combinations are united
  std::vector<Factor> factors;
  std::vector<DesignPoint> points;  ///< those that can run, each combination once
  std::vector<DroppedPoint> dropped;
  std::vector<std::vector<std::size_t>> orders;  ///< of factors, one for each ladder
  Fraction fraction;                             ///< resolution 0 without a fractional design

  bool has(DesignKind kind) const;
};

/// "base", "base+loop-unrolling", "base+loop-unrolling+threads=256", "all-loop-unrolling", "all":
/// the shorter of what was added to the base and what was taken from everything.
std::string arm_name(const std::vector<Factor>& factors, const Levels& levels);

nlohmann::json to_json(const Design& design);
/// Throws UsageError naming the missing or ill-typed field.
Design design_from_json(const nlohmann::json& json);

}  // namespace msda
