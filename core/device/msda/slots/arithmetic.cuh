// Slot "arithmetic": the types in which values are blended and summed.
#pragma once

#include <msda/contract.cuh>
#include <msda/parts/taps.cuh>
#include <msda/sampling.cuh>
#include <msda/split.cuh>

namespace msda {

/// The arithmetic of elements with two pixels, `upper` and `lower`: weights(upper, lower) makes one
/// tap's weight of the weights of both.
template <class Policy>
concept ColumnArithmetic = requires {
  { Policy::weights(0.0F, 0.0F) } -> Same<typename Policy::Weight>;
};

/// True if values are encoded in units of a scale. scale(arguments, image, head, level) returns the
/// factor of a level's sums; consumers call it for each row and level.
template <class K>
inline constexpr bool kHasScales = requires(const Arguments& arguments) {
  K::Arithmetic::scale(arguments, 0LL, 0, 0);
};

/// Static members. Consumers call add(); threads that compute taps call pixels_from() and
/// weights(); the pre-pass of slot layout calls encode(). No function synchronises.
///
/// - `Stored`: element type of the values that are read, perhaps a SplitElement; `kEncoded`: a
///   pre-pass makes these elements of the problem's, by encode();
/// - `kElementPixels`: pixels in a stored element: 1, or 2 if the element has the pixel below as
///   well, so that a tap is a column of a footprint (ColumnArithmetic);
/// - `Weight`: type of a tap's weight: float32 or a type of 16 bits; for columns the result of
///   weights();
/// - `Sums<n>`: the sums of n channels of a row in float32, as FloatSums;
/// - pixels_from(pixel, location, size) returns the pixel coordinate of a location on an axis of
///   `size` pixels, relative to pixel `pixel`;
/// - encode(arguments, values, image, head, level) returns the stored element for the values of
///   kElementPixels pixels;
/// - add<points>(sums, taps, values) adds weight * value for all taps of the first `points` points
///   of a batch;
/// - a policy with `kSumsTwoBatches` has `TwoBatchSums<n>` too, the sums of two batches that begin
///   together, to which add() adds as well, with clear() and add_to(sums).
template <class Policy, class K>
concept ArithmeticPolicy =
    requires(const Arguments& arguments, typename Policy::template Sums<1>& sums,
             const Taps<K> (&taps)[kBatch<K>], const float (&pixels)[Policy::kElementPixels],
             const Vector<typename Policy::Stored, 1> (&values)[kBatch<K>][kTaps<K>]) {
  requires kConstant<bool, Policy::kEncoded>;
  requires kConstant<int, Policy::kElementPixels>;
  requires(Policy::kElementPixels == 2 ? ColumnArithmetic<Policy> : Policy::kElementPixels == 1);
  typename Policy::Weight;
  { Policy::pixels_from(0.0F, 0.0F, 0) } -> Same<float>;
  { Policy::encode(arguments, pixels, 0LL, 0, 0) } -> Same<typename Policy::Stored>;
  Policy::template add<1>(sums, taps, values);
  sums.clear();
  { sums.sum[0] } -> Same<float&>;
};

/// Sums of one lane for one row, in float32.
template <int vector>
struct FloatSums {
  float sum[vector];
  __device__ void clear() {
#pragma unroll
    for (int v = 0; v < vector; ++v) sum[v] = -0.0F;  // a sum with it needs no instruction
  }
  __device__ void add_scaled(const FloatSums& other, float scale) {
#pragma unroll
    for (int v = 0; v < vector; ++v) sum[v] = fmaf(scale, other.sum[v], sum[v]);
  }
};

/// Default: values become float32, and every product and sum is float32.
template <class K, class Parameters>
struct FloatArithmetic {
  using Stored = typename K::Problem::Value;
  using Weight = float;
  static constexpr bool kEncoded = false;
  static constexpr int kElementPixels = 1;
  template <int vector>
  using Sums = FloatSums<vector>;

  __device__ static float pixels_from(float pixel, float location, int size) {
    return msda::pixels_from(pixel, location, size);
  }
  __device__ static Stored encode(const Arguments&, const float (&value)[1], long long, int, int) {
    return from_float<Stored>(value[0]);
  }

  template <int points, int batch, int taps, int vector, class Element>
  __device__ static void add(Sums<vector>& sums, const Taps<K> (&tap)[batch],
                             const Vector<Element, vector> (&value)[batch][taps]) {
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
