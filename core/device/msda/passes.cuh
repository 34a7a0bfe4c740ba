// Passes over the rows of a work item, each over some of the levels. A large level that is read
// alone finds more of itself in L1 than two that are read in turn. Between passes a row's sums lie
// in the output, in its type.
#pragma once

#include <msda/composition.cuh>

namespace msda {

inline constexpr int kMostPasses = 2;

/// The problem of one of two passes. The first takes the largest level and the smallest, the second
/// those between, so that both have one to read from afar and one that may be on chip.
template <class Problem, int pass>
struct PassLevels : Problem {
  using Whole = Problem;

  static constexpr bool has(int level) {
    const bool outer = level == 0 || level == Problem::kLevels - 1;
    return outer == (pass == 0);
  }
  static constexpr int kLevels = [] {
    int count = 0;
    for (int level = 0; level < Problem::kLevels; ++level) count += has(level) ? 1 : 0;
    return count;
  }();
  /// Among the whole problem's levels.
  static constexpr int level_of(int level) {
    int whole = 0;
    int before = 0;
    for (int l = 0; l < Problem::kLevels; ++l) {
      if (!has(l)) continue;
      if (before == level) whole = l;
      ++before;
    }
    return whole;
  }
  static constexpr int height(int level) { return Problem::height(level_of(level)); }
  static constexpr int width(int level) { return Problem::width(level_of(level)); }
  static constexpr int start(int level) { return Problem::start(level_of(level)); }
};

template <class Problem>
concept IsPart = requires {
  typename Problem::Whole;
};

template <class Problem>
struct WholeProblem {
  using Type = Problem;
};
template <IsPart Problem>
struct WholeProblem<Problem> {
  using Type = typename Problem::Whole;
};
template <class Problem>
using WholeOf = typename WholeProblem<Problem>::Type;

/// Among the levels of the whole problem.
template <class Problem>
constexpr int whole_level(int level) {
  if constexpr (IsPart<Problem>) return Problem::level_of(level);
  return level;
}
/// The place of a point among all points of a row.
template <class Problem>
constexpr int point_of_row(int point) {
  if constexpr (!IsPart<Problem>) return point;
  const int level = point / Problem::kPoints;
  return point + (whole_level<Problem>(level) - level) * Problem::kPoints;
}

/// The composition of a pass: the same policies for some of the levels.
template <class C, int pass>
struct PassOf : C {
  using Problem = PassLevels<typename C::Problem, pass>;
  static constexpr int kPass = pass;
};

/// Names the second pass's part of a slot among the parts of shared memory.
constexpr Slot second(Slot slot) { return static_cast<Slot>(slot + kSlotCount); }
template <class K>
constexpr Slot part_slot(Slot slot) {
  return K::kPass == 0 ? slot : second(slot);
}

}  // namespace msda
