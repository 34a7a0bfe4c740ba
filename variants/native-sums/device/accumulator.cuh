// Sums in grad_value itself, in its own type: nothing to convert, and half the bytes of float32 for
// 16-bit types, but each addition rounds to these.
#pragma once

#include <backward/accumulator.cuh>

namespace msda::native_sums {

template <class K, class Parameters>
struct Accumulator : FloatingAccumulator<typename K::Problem::Value> {
  using Value = typename K::Problem::Value;
  static constexpr bool kInPlace = true;

  __device__ static Value* sums(const backward::Arguments& arguments) {
    return static_cast<Value*>(arguments.grad_value);
  }
};

}  // namespace msda::native_sums
