// All taps of a batch of points are loaded before the first tap is blended. With `ahead` the next
// batch is loaded while this batch is blended. With `alternate` batches of a large and of a small
// level alternate, so that reads of a level on chip fill the wait for the other. With `near_first`
// both batches are loaded, and the small level's, whose values arrive first, is blended first.
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
