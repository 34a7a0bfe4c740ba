// Products in the 16-bit type of the values, two at a time, summed over a lane's channels in that
// type and over lanes in float32.
#pragma once

#include <backward/dots.cuh>
#include <backward/pairs.cuh>

namespace msda::half2_dots {

template <class K>
struct PairDots {
  using Value = typename K::Problem::Value;
  using Pair = typename PairOf<Value>::Type;
  static constexpr int kVector = K::Lanes::kVector;
  using Gradient = Vector<Value, kVector>;

  __device__ static Gradient gradient(const Gradient& stored) { return stored; }
  __device__ static float dot(const Gradient& gradient, const Gradient& values) {
    const auto* g = reinterpret_cast<const Pair*>(gradient.element);
    const auto* v = reinterpret_cast<const Pair*>(values.element);
    Pair sum = __hmul2(g[0], v[0]);
#pragma unroll
    for (int i = 1; i < kVector / 2; ++i) sum = __hfma2(g[i], v[i], sum);
    return __low2float(sum) + __high2float(sum);
  }
};

template <class K, class Parameters>
struct Dots : ShuffledDots<K, Parameters> {
  static constexpr const char* idle() {
    return "values of 32 bits, of another type than the gradient, or one channel a lane: the "
           "products are float32";
  }
};

template <class K, class Parameters>
requires(kHasPairs<typename K::Problem>&& K::Lanes::kVector % 2 == 0) struct Dots<K, Parameters>
    : DotsByShuffles<K, PairDots<K>> {
};

}  // namespace msda::half2_dots
