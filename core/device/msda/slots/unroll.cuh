// Slot "unroll": how many points' loads a lane has in flight, and in which order it visits the
// points.
#pragma once

#include <msda/launch.cuh>

namespace msda {

/// Default: one point at a time, in a loop.
template <class Problem, class Parameters>
struct OnePoint {
  static constexpr Slot kSlot = kUnroll;
  static constexpr int kPoints = 1;           ///< of a batch, all of one level
  static constexpr bool kLoadsAhead = false;  ///< a batch is loaded while the one before is blended
  static constexpr bool kAlternates = false;  ///< batches of large and small levels take turns
};

}  // namespace msda
