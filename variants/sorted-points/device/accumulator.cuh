// grad_value by a sort of all points: a pass before the kernel lists the points of each level and
// head in the order of the pixels that they touch, and a pass after it sums, for each pixel, what
// the points of its lists add. No sum is added to by two threads, cleared before or converted
// afterwards, and the order of each sum is the same in every run.
#pragma once

#include <backward/accumulator.cuh>
#include <sorted_points/pixels.cuh>
#include <sorted_points/sort.cuh>

namespace msda::sorted_points {

template <class K, class Parameters>
struct Accumulator : FloatingAccumulator<typename K::Problem::Value> {
  using Value = typename K::Problem::Value;
  static constexpr bool kInPlace = true;
  static constexpr bool kAddsApart = true;
  static constexpr Extent kWorkspace = Lists<K, Parameters>::kExtent;
  using Prepass = SortPoints<K, Parameters>;
  using Postpass = SumPixels<K, Parameters>;

  __device__ static Value* sums(const backward::Arguments& arguments) {
    return static_cast<Value*>(arguments.grad_value);
  }
};

}  // namespace msda::sorted_points
