// Slot "dots": products of a row's gradient with the values of corners, and their sums over
// channels.
#pragma once

#include <backward/values.cuh>
#include <msda/contract.cuh>
#include <msda/vector.cuh>

namespace msda {

/// A lane's vectors of the gradient of a row.
template <class K>
struct LaneGradient {
  using Lanes = typename K::Lanes;
  Vector<typename K::Problem::Output, Lanes::kVector> of[Lanes::kOwn];
};

/// Functions are called by all lanes of a warp, converged:
///
/// - `Gradient`: a row's gradient, as the policy wants it; gradient(stored) makes it of the stored
///   one;
/// - `Products<n>`, an object for each lane, of n points (a power of two) of each row:
///   add(point, gradient, values) multiplies, for each corner that the lane reads, its channels of
///   the gradient with those of the value; sums() returns the sums over all channels of `kLeft`
///   points from first() on, for the corners of the lane's side. is_first(): of the lanes of a side
///   that have the same points; the lane whose number differs in the bits `kAcross` has the
///   corners of the other side.
template <class Policy, class K>
concept DotsPolicy = requires(const LaneGradient<K>& stored, const LaneValues<K>& values,
                              typename Policy::template Products<4> products) {
  { Policy::gradient(stored) } -> Same<typename Policy::Gradient>;
  products.add(0, Policy::gradient(stored), values);
  products.sums().of[decltype(products)::kLeft - 1][LaneValues<K>::kTaps - 1];
  { products.first() } -> Same<int>;
  { products.is_first() } -> Same<bool>;
  requires kConstant<int, decltype(products)::kAcross>;
};

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

/// Products of each lane's channels, summed over lanes by shuffles. `Lane` multiplies one vector:
/// Lane::Gradient, Lane::gradient(stored), Lane::dot(gradient, value).
template <class K, class Lane>
struct DotsByShuffles {
  using Lanes = typename K::Lanes;
  struct Gradient {
    typename Lane::Gradient of[Lanes::kOwn];
  };
  __device__ static Gradient gradient(const LaneGradient<K>& stored) {
    Gradient gradient;
#pragma unroll
    for (int n = 0; n < Lanes::kOwn; ++n) gradient.of[n] = Lane::gradient(stored.of[n]);
    return gradient;
  }

  template <int points>
  class Products : public TransposedSums<points, Lanes::kLanesPerSide> {
    using Sums = TransposedSums<points, Lanes::kLanesPerSide>;
    static constexpr int kTaps = LaneValues<K>::kTaps;

   public:
    static constexpr int kAcross = Lanes::kLanesPerSide;

    __device__ void add(int point, const Gradient& gradient, const LaneValues<K>& values) {
#pragma unroll
      for (int t = 0; t < kTaps; ++t) {
#pragma unroll
        for (int n = 0; n < Lanes::kOwn; ++n) {
          products_.of[point][t] += Lane::dot(gradient.of[n], values.of[t][n]);
        }
      }
    }
    __device__ auto sums() const { return Sums::sum(products_); }

   private:
    PointSums<points, kTaps> products_ = {};
  };
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
struct ShuffledDots : DotsByShuffles<K, FloatDots<K>> {};

}  // namespace msda
