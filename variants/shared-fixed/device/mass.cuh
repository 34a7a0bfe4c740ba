// A bound of what meets in a pixel: the magnitudes of an item's contributions, which fix the unit
// of whole-number sums so that these never overflow.
#pragma once

#include <backward/arguments.cuh>
#include <msda/vector.cuh>

namespace msda::shared_fixed {

/// Of one row's contributions to a pixel: `sum` of all its points of a level, the level where that
/// is most; `largest` of one point.
struct Mass {
  float sum;
  float largest;
};

/// The largest magnitude among `count` neighbouring numbers, and with `sums` the sum instead.
template <bool sums, int count, class T>
__device__ __forceinline__ float magnitude(const T* first) {
  constexpr int kVector =
      widest_word(count * static_cast<int>(sizeof(T))) / static_cast<int>(sizeof(T));
  float result = 0.0F;
  for (int i = 0; i < count; i += kVector) {
    const auto numbers =
        Vector<T, kVector>::read(first + i, [](const auto* p) { return ptx::ldg(p); });
#pragma unroll
    for (int v = 0; v < kVector; ++v) {
      const float number = fabsf(to_float(numbers.element[v]));
      // A comparison that is false for NaN would lose it.
      result = sums ? result + number : !(number <= result) ? number : result;
    }
  }
  return result;
}

template <class K>
__device__ __forceinline__ Mass mass_of(const backward::Arguments& arguments, long long row) {
  using Problem = typename K::Problem;
  using Weight = typename Problem::Weight;
  using Output = typename Problem::Output;
  const auto* weights =
      static_cast<const Weight*>(arguments.weights) + row * (Problem::kLevels * Problem::kPoints);
  const float gradient = magnitude<false, Problem::kChannels>(
      static_cast<const Output*>(arguments.grad_output) + row * Problem::kChannels);
  Mass mass = {0.0F, 0.0F};
  for (int l = 0; l < Problem::kLevels; ++l) {
    const Weight* of_level = weights + l * Problem::kPoints;
    float sum = 0.0F;
    float largest = 0.0F;
    for (int p = 0; p < Problem::kPoints; ++p) {
      const float weight = fabsf(to_float(of_level[p]));
      sum += weight;
      largest = !(weight <= largest) ? weight : largest;
    }
    mass.sum = !(sum <= mass.sum) ? sum : mass.sum;
    mass.largest = !(largest <= mass.largest) ? largest : mass.largest;
  }
  return {mass.sum * gradient, mass.largest * gradient};
}

/// Whole numbers keep clear of their limit by this part: contributions are rounded.
inline constexpr float kMargin = 0.98F;

/// Units of 1 for sums of at most `mass`, and contributions of at most 2^22 units.
__device__ __forceinline__ float unit_of(const Mass& mass) {
  if (mass.sum == 0.0F) return 1.0F;
  const float of_sum = kMargin * 2147483648.0F / mass.sum;
  const float of_one = kMargin * 4194304.0F / mass.largest;
  const float scale = of_sum < of_one ? of_sum : of_one;
  // What is no finite number leaves no finite sum, instead of a wrong one.
  const bool is_finite = mass.sum <= 3.0e38F && scale <= 3.0e38F;
  return is_finite ? scale : __int_as_float(0x7fffffff);
}

}  // namespace msda::shared_fixed
