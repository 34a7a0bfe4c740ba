// Products by the tensor cores. Four neighbouring lanes, a quad, hold the channels of a value, as
// words of four pairs. A product of matrices takes such words as they are:
//
//   a: row q has pairs 0 and 2 of the value of quad q, row q + 8 pairs 1 and 3
//   b: column 2 m has pairs 0 and 2 of gradient m, column 2 m + 1 pairs 1 and 3
//
// The quads of both sides have the same gradients, so that the eight have four of them, and the sum
// over the channels of quad q, in float32, is that of two elements in one lane:
// (q, 2 m) and (q + 8, 2 m + 1), where m is the quad's gradient.
#pragma once

#include <backward/dots.cuh>
#include <backward/pairs.cuh>
#include <msda/ptx/matrix.cuh>

namespace msda::mma_dots {

inline constexpr int kQuad = 4;

template <class K, class Parameters>
struct Dots : ShuffledDots<K, Parameters> {
  static constexpr const char* idle() {
    return "values of 32 bits, of another type than the gradient, one channel a lane, one side, or "
           "fewer than four lanes for a corner: the products are float32";
  }
};

template <class K, class Parameters>
requires(kHasPairs<typename K::Problem>&& K::Lanes::kVector % 2 == 0 && K::Lanes::kSides == 2 &&
         K::Lanes::kLanesPerSide >= kQuad) struct Dots<K, Parameters> {
  using Lanes = typename K::Lanes;
  using Value = typename K::Problem::Value;
  static constexpr int kPairs = Lanes::kVector / 2;
  static constexpr int kQuads = Lanes::kLanesPerSide / kQuad;  ///< of a side

  __device__ static int quad() { return static_cast<int>(simt::lane()) / kQuad; }
  __device__ static int in_quad() { return static_cast<int>(simt::lane()) % kQuad; }
  /// Two channels, or zeros past the last one.
  template <class Channels>
  __device__ static unsigned pair(const Channels& channels, int n) {
    return n < kPairs ? reinterpret_cast<const unsigned*>(channels.element)[n] : 0U;
  }
  /// Gradients are numbered over rows, and in these over the quads of a side.
  __device__ static int gradient_of(int quad) {
    return quad % kQuads + quad / (2 * kQuads) * kQuads;
  }
  __device__ static int quad_of(int gradient, int side) {
    return gradient % kQuads + (gradient / kQuads * 2 + side) * kQuads;
  }

  /// A lane's part of the second matrix. Of every kTurns-th point from point `turn` on, columns 2 m
  /// and 2 m + 1 have gradient m ^ turn, so that the sums of several points are in different lanes.
  static constexpr int kTurns = static_cast<int>(Parameters::turns);
  struct Gradient {
    unsigned of[kTurns][Lanes::kOwn][2];
  };
  __device__ static Gradient gradient(const LaneGradient<K>& stored) {
    const int side = Place<K>::side();
    Gradient gradient;
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
      const int from = quad_of(quad() / 2 ^ turn, quad() % 2) * kQuad + in_quad();
#pragma unroll
      for (int n = 0; n < Lanes::kOwn; ++n) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const unsigned first = pair(stored.of[n], 2 * i);
          const unsigned second = pair(stored.of[n], 2 * i + 1);
          const unsigned own = side == 0 ? first : second;
          gradient.of[turn][n][i] = turn == 0 && kQuads == 1 ? own : simt::shfl_sync(own, from);
        }
      }
    }
    return gradient;
  }

  template <int points>
  class Products {
    static constexpr int kTaps = LaneValues<K>::kTaps;
    /// Number n of a quad's lanes has the n-th points in the end.
    __device__ static int number() { return in_quad() ^ gradient_of(quad()); }

   public:
    static constexpr int kLeft = points > kQuad ? points / kQuad : 1;
    static constexpr int kAcross = Lanes::kLanesPerSide;

    /// A lane of a batch of fewer than four points may have none, and then says some past the end.
    __device__ static int first() { return number() * kLeft; }
    __device__ static bool is_first() { return quad() % kQuads == 0; }

    __device__ void add(int point, const Gradient& gradient, const LaneValues<K>& values) {
      const int turn = point / kLeft % kTurns;
      float(&own)[kTaps] = sums_[point / kLeft / kTurns].of[point % kLeft];
#pragma unroll
      for (int t = 0; t < kTaps; ++t) {
        float product[4] = {};
#pragma unroll
        for (int n = 0; n < Lanes::kOwn; ++n) {
          const auto& value = values.of[t][n];
          const unsigned a[4] = {pair(value, 0), pair(value, 1), pair(value, 2), pair(value, 3)};
          ptx::mma_m16n8k16<Value>(product, a, gradient.of[turn][n]);
        }
        own[t] = number() == turn ? product[0] + product[3] : own[t];
      }
    }
    __device__ auto sums() const {
      Sums dealt[kSets];
#pragma unroll
      for (int set = 0; set < kSets; ++set) dealt[set] = sums_[set];
#pragma unroll
      for (int half = kSets / 2; half > 0; half /= 2) {
#pragma unroll
        for (int set = 0; set < half; ++set) {
          dealt[set] = each(dealt[set], [&](float kept, int i, int t) {
            const float got = simt::shfl_xor_sync(dealt[set + half].of[i][t], kTurns * half);
            return (number() & kTurns * half) != 0 ? got : kept;
          });
        }
      }
      // The lanes of a side with the same number are 4 + 1 times the difference of their quads
      // apart.
#pragma unroll
      for (int quads = 1; quads < kQuads; quads *= 2) {
        dealt[0] = each(dealt[0], [&](float sum, int, int) {
          return sum + simt::shfl_xor_sync(sum, quads * (kQuad + 1));
        });
      }
      return dealt[0];
    }

   private:
    using Sums = PointSums<kLeft, kTaps>;
    static constexpr int kSets = kQuad / kTurns;

    template <class Change>
    __device__ static Sums each(Sums sums, const Change& change) {
#pragma unroll
      for (int i = 0; i < kLeft; ++i) {
#pragma unroll
        for (int t = 0; t < kTaps; ++t) sums.of[i][t] = change(sums.of[i][t], i, t);
      }
      return sums;
    }

    Sums sums_[kSets] = {};
  };
};

}  // namespace msda::mma_dots
