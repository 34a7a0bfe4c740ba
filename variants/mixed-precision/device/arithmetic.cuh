// Two channels are blended by one instruction in the 16-bit type of the values (fp16 or bf16). A
// batch of points is summed in that type, and batches in fp32 or in that type too.
#pragma once

#include <msda/slots/arithmetic.cuh>

namespace msda::mixed_precision {

template <class T>
struct PairOf;
template <>
struct PairOf<__half> {
  using Type = __half2;
  __device__ static Type twice(__half w) { return __half2half2(w); }
  __device__ static float2 to_floats(Type v) { return __half22float2(v); }
};
template <>
struct PairOf<__nv_bfloat16> {
  using Type = __nv_bfloat162;
  __device__ static Type twice(__nv_bfloat16 w) { return __bfloat162bfloat162(w); }
  __device__ static float2 to_floats(Type v) { return __bfloat1622float2(v); }
};

template <class K, class Parameters>
struct Arithmetic {
  static constexpr const char* idle() {
    return K::Mapping::kVector == 1 ? "a lane has one channel: there is no pair to blend" : nullptr;
  }
  static constexpr bool kFloatSums = Parameters::sums == 0;
  using Stored = typename K::Problem::Value;
  using Weight = Stored;
  static constexpr bool kEncoded = false;
  static constexpr int kRows = 1;
  using Pair = PairOf<Stored>;
  template <int vector>
  using Sums = FloatSums<vector>;

  __device__ static Stored encode(const Arguments&, const float (&value)[1], long long, int, int) {
    return from_float<Stored>(value[0]);
  }

  /// The weights' bits are too few for the one rounding of msda::pixels_from().
  __device__ static float pixels_from(float pixel, float location, int size) {
    if constexpr (Parameters::half_coordinates) {
      const __half extent = __int2half_rn(size);
      const __half coordinate = __hsub(__hmul(__float2half(location), extent), __float2half(0.5F));
      return __half2float(coordinate) - pixel;
    } else {
      return msda::pixels_from(0.0F, location, size) - pixel;
    }
  }

  template <int points, int batch, int taps, int vector>
  __device__ static void add(Sums<vector>& sums, const Taps<K> (&tap)[batch],
                             const Vector<Stored, vector> (&value)[batch][taps]) {
#pragma unroll
    for (int v = 0; v + 1 < vector; v += 2) {
      add_pair<points>(sums.sum[v], sums.sum[v + 1], tap, value, v);
    }
    if constexpr (vector % 2 == 1) add_last<points>(sums.sum[vector - 1], tap, value);
  }

 private:
  /// Channels v and v + 1.
  template <int points, int batch, int taps, int vector>
  __device__ static void add_pair(float& first, float& second, const Taps<K> (&tap)[batch],
                                  const Vector<Stored, vector> (&value)[batch][taps], int v) {
    typename Pair::Type blend;
    blend.x = from_float<Stored>(kFloatSums ? 0.0F : first);
    blend.y = from_float<Stored>(kFloatSums ? 0.0F : second);
#pragma unroll
    for (int p = 0; p < points; ++p) {
#pragma unroll
      for (int t = 0; t < taps; ++t) {
        const auto* pairs = reinterpret_cast<const typename Pair::Type*>(value[p][t].element);
        blend = __hfma2(pairs[v / 2], Pair::twice(tap[p].weight[t]), blend);
      }
    }
    const float2 both = Pair::to_floats(blend);
    first = kFloatSums ? first + both.x : both.x;
    second = kFloatSums ? second + both.y : both.y;
  }

  /// The last channel of an odd number.
  template <int points, int batch, int taps, int vector>
  __device__ static void add_last(float& sum, const Taps<K> (&tap)[batch],
                                  const Vector<Stored, vector> (&value)[batch][taps]) {
    Stored blend = from_float<Stored>(kFloatSums ? 0.0F : sum);
#pragma unroll
    for (int p = 0; p < points; ++p) {
#pragma unroll
      for (int t = 0; t < taps; ++t) {
        blend = __hfma(value[p][t].element[vector - 1], tap[p].weight[t], blend);
      }
    }
    sum = kFloatSums ? sum + to_float(blend) : to_float(blend);
  }
};

}  // namespace msda::mixed_precision
