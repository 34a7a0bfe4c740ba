// A batch of points: all their taps are loaded before the first is blended.
#pragma once

#include <msda/launch.cuh>

namespace msda::loop_unrolling {

template <class Problem, class Parameters>
struct Unroll {
  static constexpr Slot kSlot = kUnroll;
  static constexpr int kPoints = static_cast<int>(Parameters::points);
};

}  // namespace msda::loop_unrolling
