// Slot "arithmetic": the types in which values are blended and summed.
#pragma once

#include <msda/launch.cuh>
#include <msda/sampling.cuh>
#include <msda/vector.cuh>

namespace msda {

/// Sums of one lane for one row, in float32.
template <int vector>
struct FloatSums {
  float sum[vector];
  __device__ void clear() {
#pragma unroll
    for (int v = 0; v < vector; ++v) sum[v] = 0.0F;
  }
  __device__ void add_scaled(const FloatSums& other, float scale) {
#pragma unroll
    for (int v = 0; v < vector; ++v) sum[v] = fmaf(scale, other.sum[v], sum[v]);
  }
};

/// Default: values become float32, and every product and sum is float32.
template <class Problem, class Parameters>
struct FloatArithmetic {
  static constexpr Slot kSlot = kArithmetic;
  using Stored = typename Problem::Value;  ///< element type of the value tensor that is read
  using Weight = float;                    ///< of a tap
  /// True when Stored is not the problem's type: values are encoded by a pre-pass.
  static constexpr bool kEncoded = false;
  template <int vector>
  using Sums = FloatSums<vector>;

  /// Pixel coordinate of a location on an axis of `size` pixels, counted from pixel `pixel`.
  __device__ static float pixels_from(int pixel, float location, int size) {
    return msda::pixels_from(pixel, location, size);
  }
  /// The stored form of a value.
  __device__ static Stored encode(const Arguments& arguments, float value, long long image,
                                  int head, int level) {
    static_cast<void>(arguments);
    static_cast<void>(image);
    static_cast<void>(head);
    static_cast<void>(level);
    return from_float<Stored>(value);
  }
  __device__ static Weight weight(float w) { return w; }

  /// Adds a batch of points: sum over points and taps of weight * value. `Taps` has `weight[taps]`.
  template <int points, int taps, int vector, class Taps, class Element>
  __device__ static void add(Sums<vector>& sums, const Taps (&tap)[points],
                             const Vector<Element, vector> (&value)[points][taps]) {
#pragma unroll
    for (int p = 0; p < points; ++p) {
#pragma unroll
      for (int t = 0; t < taps; ++t) {
#pragma unroll
        for (int v = 0; v < vector; ++v) {
          sums.sum[v] = fmaf(tap[p].weight[t], to_float(value[p][t].element[v]), sums.sum[v]);
        }
      }
    }
  }
};

}  // namespace msda
