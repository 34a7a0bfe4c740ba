// Slot "dots": products of a row's gradient with the values of corners, and their sums over lanes.
#pragma once

#include <backward/lanes.cuh>
#include <msda/contract.cuh>
#include <msda/vector.cuh>

namespace msda {

/// - `Gradient`: a lane's channels of the gradient of a row, as the policy wants them;
///   gradient(vector) makes it of the stored ones;
/// - dot(gradient, values) returns the sum of products over a lane's channels.
template <class Policy, class K>
concept DotsPolicy = requires(const Vector<typename K::Problem::Output, K::Lanes::kVector>& stored,
                              const Vector<typename K::Problem::Value, K::Lanes::kVector>& values) {
  { Policy::gradient(stored) } -> Same<typename Policy::Gradient>;
  { Policy::dot(Policy::gradient(stored), values) } -> Same<float>;
};

/// Products in float32.
template <class K>
struct FloatDots {
  static constexpr int kVector = K::Lanes::kVector;
  struct Gradient {
    float channel[kVector];
  };
  template <class Stored>
  __device__ static Gradient gradient(const Stored& stored) {
    Gradient gradient;
#pragma unroll
    for (int v = 0; v < kVector; ++v) gradient.channel[v] = to_float(stored.element[v]);
    return gradient;
  }
  template <class Values>
  __device__ static float dot(const Gradient& gradient, const Values& values) {
    float sum = 0.0F;
#pragma unroll
    for (int v = 0; v < kVector; ++v) {
      sum = fmaf(gradient.channel[v], to_float(values.element[v]), sum);
    }
    return sum;
  }
};

/// Default: in float32.
template <class K, class Parameters>
struct ShuffledDots : FloatDots<K> {};

/// `points` points of each lane, a power of two, with `n` numbers of each.
template <int points, int n>
struct PointSums {
  float of[points][n];
};

/// Sums over `lanes` neighbouring lanes, a power of two, of which all lanes of the warp take part.
/// While there are several points, each exchange halves the points of a lane; afterwards it has
/// `kLeft` of them from point first() on, the same in all lanes but for is_first().
template <int points, int lanes>
struct TransposedSums {
  static constexpr int kHalvings = [] {
    int halvings = 0;
    while ((points >> halvings) > 1 && (lanes >> halvings) > 1) ++halvings;
    return halvings;
  }();
  static constexpr int kLeft = points >> kHalvings;
  static constexpr int kCopies = lanes >> kHalvings;  ///< lanes with the same points

  __device__ static int first() { return static_cast<int>(simt::lane()) % lanes / kCopies * kLeft; }
  __device__ static bool is_first() { return static_cast<int>(simt::lane()) % kCopies == 0; }

  template <int n>
  __device__ static PointSums<kLeft, n> sum(const PointSums<points, n>& sums) {
    if constexpr (kHalvings > 0) {
      constexpr int kStep = lanes / 2;
      const bool upper = (static_cast<int>(simt::lane()) & kStep) != 0;
      PointSums<points / 2, n> half;
#pragma unroll
      for (int p = 0; p < points / 2; ++p) {
#pragma unroll
        for (int i = 0; i < n; ++i) {
          const float given = upper ? sums.of[p][i] : sums.of[p + points / 2][i];
          const float kept = upper ? sums.of[p + points / 2][i] : sums.of[p][i];
          half.of[p][i] = kept + simt::shfl_xor_sync(given, kStep);
        }
      }
      return TransposedSums<points / 2, lanes / 2>::sum(half);
    } else {
      PointSums<kLeft, n> all = sums;
#pragma unroll
      for (int step = lanes / 2; step > 0; step /= 2) {
#pragma unroll
        for (int p = 0; p < points; ++p) {
#pragma unroll
          for (int i = 0; i < n; ++i) all.of[p][i] += simt::shfl_xor_sync(all.of[p][i], step);
        }
      }
      return all;
    }
  }
};

}  // namespace msda
