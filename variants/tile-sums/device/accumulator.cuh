// grad_value by tiles of pixels: a pass before the kernel, whose blocks each own some neighbouring
// pixels of a level and a head, and look among all points of these for those that touch them. Sums
// lie in shared memory as whole numbers, so that their order does not matter, and each pixel is
// written once: nothing is cleared before, and nothing converted afterwards.
#pragma once

#include <backward/accumulator.cuh>
#include <tile_sums/tiles.cuh>

namespace msda::tile_sums {

template <class K, class Parameters>
struct Accumulator : FloatingAccumulator<typename K::Problem::Value> {
  using Value = typename K::Problem::Value;
  static constexpr bool kInPlace = true;
  static constexpr bool kAddsApart = true;
  using Prepass = SumTiles<K, Parameters>;

  __device__ static Value* sums(const backward::Arguments& arguments) {
    return static_cast<Value*>(arguments.grad_value);
  }
};

}  // namespace msda::tile_sums
