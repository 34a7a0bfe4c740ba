// A SearchSpace says what a search may choose from: alternatives for each decision, parameters that
// belong to some of the alternatives, and rules about what must not go together. It is written into
// the manifest of a search, so that its landscape can be drawn from the run's directory alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "design/design.hpp"

namespace msda {

/// The level of a parameter whose alternative is not chosen.
inline constexpr int kInactive = -1;

/// One thing that is decided: an alternative ("mapping"), or a parameter of some alternatives of
/// another factor ("mapping.threads").
struct SpaceFactor {
  std::string name;
  std::vector<std::string> levels;
  std::optional<std::size_t> parent;  ///< of a parameter: the factor whose alternatives have it
  /// Of a parameter: for each level of the parent, the levels it may take there; none: it is
  /// inactive.
  std::vector<std::vector<int>> allowed;
};

/// A factor has one of these levels.
struct FactorLevels {
  std::size_t factor = 0;
  std::vector<int> levels;
};
/// Holds for a point when each of these factors has one of these levels.
using SpacePattern = std::vector<FactorLevels>;
bool matches(const SpacePattern& pattern, const Levels& levels);

/// Points that match `when` must match `then`; without a `then` they are excluded.
struct SpaceRule {
  SpacePattern when;
  SpacePattern then;
  std::string text;  ///< as people read it
};

/// All points of a space up to this size are looked at to count those that rules remove.
inline constexpr std::uint64_t kMostCounted = 200'000;

/// A point is one level of each factor, kInactive where a parameter belongs to no chosen
/// alternative. Points have numbers from 0 to size() - 1, whatever the rules say of them.
class SearchSpace {
 public:
  SearchSpace() = default;
  /// Parents stand before their parameters. Throws UsageError for a factor without levels or a
  /// space of more than 2^53 points, which JSON could not number.
  SearchSpace(std::vector<SpaceFactor> factors, std::vector<SpaceRule> rules);

  const std::vector<SpaceFactor>& factors() const { return factors_; }
  const std::vector<SpaceRule>& rules() const { return rules_; }
  std::uint64_t size() const { return size_; }

  Levels at(std::uint64_t number) const;
  /// Of a point that at() can give.
  std::uint64_t number_of(const Levels& levels) const;
  /// The first rule that the point breaks.
  std::optional<std::size_t> broken_rule(const Levels& levels) const;
  /// The points that differ in one decision: another level of one parameter, or another
  /// alternative, for which the parameters that both have stay as near as they can and the others
  /// take every value. Rules are not asked.
  std::vector<Levels> neighbours(const Levels& levels) const;
  /// "mapping=corner-pair(threads=512) blend=none"
  std::string describe(const Levels& levels) const;

 private:
  /// A factor without a parent, with the parameters of its alternatives.
  struct Decision {
    std::size_t factor = 0;
    std::vector<std::size_t> parameters;
    std::vector<std::uint64_t> first;  ///< by alternative: its first number among the decision's
    std::uint64_t count = 0;           ///< of alternatives with their parameters' values
  };

  const std::vector<int>& allowed(std::size_t parameter, int alternative) const;
  void set(const Decision& decision, std::uint64_t digit, Levels& levels) const;
  std::uint64_t digit_of(const Decision& decision, const Levels& levels) const;
  void add_switches(const Decision& decision, const Levels& levels,
                    std::vector<Levels>& found) const;

  std::vector<SpaceFactor> factors_;
  std::vector<SpaceRule> rules_;
  std::vector<Decision> decisions_;
  std::uint64_t size_ = 1;
};

nlohmann::json to_json(const SearchSpace& space);
/// Throws UsageError naming the missing or ill-typed field.
SearchSpace space_from_json(const nlohmann::json& json);

}  // namespace msda
