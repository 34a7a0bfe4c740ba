// Codes that are never converted. A stored element has the codes of a pixel and of the pixel below,
// so that one integer instruction adds a footprint's column: two weights of 16 bits times two
// codes, summed exactly. A footprint is then one run of memory and not two.
#pragma once

#include <msda/parts/encoded.cuh>
#include <msda/ptx/arithmetic.cuh>

namespace msda::int8_value {

/// Codes of a pixel and of the pixel below, which is zero below the last row.
struct Column {
  signed char upper;
  signed char lower;
};

template <class K>
struct Columns : ScaledCodes<K, Columns<K>> {
  using Scaled = ScaledCodes<K, Columns>;
  using Stored = Column;
  static constexpr int kElementPixels = 2;
  static constexpr float kLargest = 127.0F;  ///< of the codes

  /// Weights in units of 2^-14, the upper pixel's in the lower 16 bits, clamped to [-2, 2):
  /// attention weights, which are a softmax, are in [0, 1].
  using Weight = unsigned;
  static constexpr float kUnits = 16384.0F;

  __device__ static Weight weights(float upper, float lower) {
    return (fixed_point(upper) & 0xffffU) | fixed_point(lower) << 16U;
  }

  __device__ static Stored encode(const Arguments& arguments, const float (&values)[2],
                                  long long image, int head, int level) {
    const auto code = [&](float value) {
      return static_cast<signed char>(
          __float2int_rn(Scaled::in_codes(arguments, value, image, head, level)));
    };
    return {code(values[0]), code(values[1])};
  }
  __device__ static float scale(const Arguments& arguments, long long image, int head, int level) {
    return Scaled::scale(arguments, image, head, level) * (1.0F / kUnits);
  }

  template <int points, int batch, int taps, int vector>
  __device__ static void add(FloatSums<vector>& sums, const Taps<K> (&tap)[batch],
                             const Vector<Stored, vector> (&value)[batch][taps]) {
    int sum[vector] = {};
#pragma unroll
    for (int p = 0; p < points; ++p) {
#pragma unroll
      for (int t = 0; t < taps; ++t) {
        const unsigned weight = tap[p].weight[t];
#pragma unroll
        for (int v = 0; v < vector; v += 2) {
          const unsigned codes = codes_from<vector>(value[p][t].element + v);
          sum[v] = ptx::dp2a<false>(weight, codes, sum[v]);
          if constexpr (vector > 1) sum[v + 1] = ptx::dp2a<true>(weight, codes, sum[v + 1]);
        }
      }
    }
#pragma unroll
    for (int v = 0; v < vector; ++v) sums.sum[v] += static_cast<float>(sum[v]);
  }

 private:
  /// The fixed-point number in the lower 16 bits, the end of a float's significand.
  __device__ static unsigned fixed_point(float weight) {
    constexpr float kMost = 2.0F - 1.0F / kUnits;
    return __float_as_uint(fmaf(fminf(fmaxf(weight, -2.0F), kMost), kUnits, 12582912.0F));
  }
  /// The codes of two neighbouring channels, or of the only channel.
  template <int vector>
  __device__ static unsigned codes_from(const Stored* element) {
    if constexpr (vector == 1) return *reinterpret_cast<const unsigned short*>(element);
    return *reinterpret_cast<const unsigned*>(element);
  }
};

}  // namespace msda::int8_value
