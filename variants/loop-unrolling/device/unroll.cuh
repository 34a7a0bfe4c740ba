// A batch of points: all their taps are loaded before the first is blended. With `ahead` the next
// batch's loads are under way while this one is blended; with `alternate` batches of a large level
// and of a small one take turns, so that the reads of a level on chip fill the wait for one that is
// not; with `near_first` both are under way and the small level's is blended first, whose values
// are there first.
#pragma once

#include <msda/walk.cuh>

namespace msda::loop_unrolling {

template <class K, class Parameters>
struct Unroll {
  static constexpr int kPoints = static_cast<int>(Parameters::points);
  static constexpr bool kLoadsAhead = Parameters::ahead;
  static constexpr bool kAlternates = Parameters::alternate;
  static constexpr bool kNearFirst = Parameters::near_first;
  static constexpr const char* idle() {
    if (kNearFirst && !Walk<K>::kTwoAtATime) {
      return "near-first: batches are staged, and blended in the order in which they come";
    }
    return kBatch<K> == 1 && !kLoadsAhead && !(kAlternates && K::Problem::kLevels > 1)
               ? "a batch has one point, and batches follow each other as they do without"
               : nullptr;
  }
};

}  // namespace msda::loop_unrolling
