// The candidates of a search on a device: which points of the space can run on its problems, and
// what they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reason_counts.hpp"
#include "runner/plan/plan.hpp"

namespace msda {

/// What became of the points of a space before anything was compiled.
struct SpaceCount {
  std::uint64_t points = 0;     ///< of the space
  std::uint64_t looked_at = 0;  ///< fewer than `points` where the space is too large to count
  std::vector<ReasonCounts::Entry> removed;
  std::uint64_t left = 0;  ///< of those looked at

  bool is_whole() const { return looked_at == points; }
};

/// Several lines: the points, what was removed and why, what is left.
std::string to_text(const SpaceCount& count);

class Candidates {
 public:
  /// `baseline` is what a candidate has to beat, so that it is none itself; `known` are other arms
  /// of the experiment, candidates beyond the points of the space. All arguments must outlive this.
  Candidates(const Registry& registry, const SpaceSpec& spec, const Arm& baseline,
             const std::vector<Arm>& known, const std::vector<ProblemSpec>& problems,
             const DeviceInfo& device);

  const SpaceCount& count() const { return count_; }
  /// The points that can run, each composition once, in ascending order; empty where the space is
  /// too large to count.
  const std::vector<std::uint64_t>& all() const { return all_; }
  /// Numbers of the known arms that can run: of the point that has an arm's composition where the
  /// space was counted and has one, else from the space's size on.
  const std::vector<std::uint64_t>& known() const { return known_numbers_; }

  /// Why a candidate cannot run, or "".
  std::string refusal(std::uint64_t number) const;
  /// "c417", or the name of a known arm.
  std::string name(std::uint64_t number) const;
  /// Under that name.
  Arm arm(std::uint64_t number) const;
  /// Its levels in words; of a known arm that is no point of the space, its composition.
  std::string describe(std::uint64_t number) const;
  /// Empty for a known arm that is no point of the space.
  Levels levels(std::uint64_t number) const;

 private:
  void count_points();
  void sample_points();
  void add_known();
  const Arm* known_arm(std::uint64_t number) const;
  std::optional<Arm> tried(std::uint64_t number, std::string& reason) const;

  const Registry& registry_;
  const SpaceSpec& spec_;
  const Arm& baseline_;
  const std::vector<Arm>& arms_;
  const std::vector<ProblemSpec>& problems_;
  const DeviceInfo& device_;
  SpaceCount count_;
  std::vector<std::uint64_t> all_;
  std::vector<std::uint64_t> known_numbers_;
};

}  // namespace msda
