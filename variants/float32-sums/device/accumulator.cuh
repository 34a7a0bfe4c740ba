// Sums in float32 in a workspace, which the launcher clears, or the pass that converts them.
#pragma once

#include <backward/accumulator.cuh>

namespace msda::float32_sums {

template <class K, class Parameters>
struct Accumulator : Float32Sums<K, backward::kAccumulator, Parameters::clear == 1> {
  static constexpr const char* idle() {
    return kSame<typename K::Problem::Value, float> ? "the values are float32 already" : nullptr;
  }
};

}  // namespace msda::float32_sums
