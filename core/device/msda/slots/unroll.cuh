// Slot "unroll": how many points' loads a lane has in flight before it blends them.
#pragma once

#include <msda/launch.cuh>

namespace msda {

/// Default: one point at a time.
template <class Problem, class Parameters>
struct OnePoint {
  static constexpr Slot kSlot = kUnroll;
  static constexpr int kPoints = 1;
};

}  // namespace msda
