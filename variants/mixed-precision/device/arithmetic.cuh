// One instruction blends two channels in the 16-bit type of the values (fp16 or bf16). The sums of
// a batch of points, or of two batches that begin together, have that type; sums of batches have
// fp32 or that type.
#pragma once

#include <msda/slots/arithmetic.cuh>
#include <msda/walk.cuh>

namespace msda::mixed_precision {

template <class T>
struct Half2Of;
template <>
struct Half2Of<__half> {
  using Type = __half2;
  __device__ static Type twice(__half w) { return __half2half2(w); }
  __device__ static float2 to_floats(Type v) { return __half22float2(v); }
};
template <>
struct Half2Of<__nv_bfloat16> {
  using Type = __nv_bfloat162;
  __device__ static Type twice(__nv_bfloat16 w) { return __bfloat162bfloat162(w); }
  __device__ static float2 to_floats(Type v) { return __bfloat1622float2(v); }
};

/// Sums of a lane in the type of its values, of an even number of channels.
template <class Stored, int vector>
struct Half2Sums {
  using Half2 = Half2Of<Stored>;
  typename Half2::Type sum[vector / 2];

  __device__ void clear() {
#pragma unroll
    for (int v = 0; v < vector / 2; ++v) sum[v] = Half2::twice(from_float<Stored>(-0.0F));
  }
  __device__ void add_to(FloatSums<vector>& sums) const {
#pragma unroll
    for (int v = 0; v < vector / 2; ++v) {
      const float2 both = Half2::to_floats(sum[v]);
      sums.sum[2 * v] += both.x;
      sums.sum[2 * v + 1] += both.y;
    }
  }
};

template <class K, class Parameters>
struct Arithmetic {
  static constexpr const char* idle() {
    if (K::Mapping::kVector == 1) return "a lane has one channel: there is no pair to blend";
    return Parameters::sums == 2 && !msda::kSumsTwoBatches<K>
               ? "sums: pairs: no two batches begin together; loop-unrolling has near-first"
               : nullptr;
  }
  static constexpr bool kFloatSums = Parameters::sums != 1;
  static constexpr bool kSumsTwoBatches = Parameters::sums == 2 && K::Mapping::kVector % 2 == 0;
  using Stored = typename K::Problem::Value;
  using Weight = Stored;
  static constexpr bool kEncoded = false;
  static constexpr int kElementPixels = 1;
  using Half2 = Half2Of<Stored>;
  template <int vector>
  using Sums = FloatSums<vector>;
  template <int vector>
  using TwoBatchSums = mixed_precision::Half2Sums<Stored, vector>;

  __device__ static Stored encode(const Arguments&, const float (&value)[1], long long, int, int) {
    return from_float<Stored>(value[0]);
  }

  /// 16-bit weights do not gain by the single rounding of msda::pixels_from().
  __device__ static float pixels_from(float pixel, float location, int size) {
    if constexpr (Parameters::half_coordinates) {
      const __half coordinate = __hfma(__float2half(location), half_of(size), half_of(-0.5F));
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
      add_half2<points>(sums.sum[v], sums.sum[v + 1], tap, value, v);
    }
    if constexpr (vector % 2 == 1) add_last<points>(sums.sum[vector - 1], tap, value);
  }
  template <int points, int batch, int taps, int vector>
  __device__ static void add(TwoBatchSums<vector>& sums, const Taps<K> (&tap)[batch],
                             const Vector<Stored, vector> (&value)[batch][taps]) {
#pragma unroll
    for (int v = 0; v < vector; v += 2) {
      sums.sum[v / 2] = blended<points>(sums.sum[v / 2], tap, value, v);
    }
  }

 private:
  /// A constant where the number is one: conversions of CUDA are assembly, which is not folded. Of
  /// integers up to 2048 and halves of them exact; larger ones lose their last bits.
  __device__ static __half half_of(float number) {
    const unsigned bits = reinterpret_cast<const unsigned&>(number);
    return __ushort_as_half(static_cast<unsigned short>(
        ((bits >> 16U) & 0x8000U) | (((bits & 0x7FFFFFFFU) - (112U << 23U)) >> 13U)));
  }
  __device__ static __half half_of(int number) { return half_of(static_cast<float>(number)); }

  /// `blend` plus the points' channels v and v + 1.
  template <int points, int batch, int taps, int vector>
  __device__ static typename Half2::Type blended(typename Half2::Type blend,
                                                 const Taps<K> (&tap)[batch],
                                                 const Vector<Stored, vector> (&value)[batch][taps],
                                                 int v) {
#pragma unroll
    for (int p = 0; p < points; ++p) {
#pragma unroll
      for (int t = 0; t < taps; ++t) {
        const auto* pairs = reinterpret_cast<const typename Half2::Type*>(value[p][t].element);
        blend = __hfma2(pairs[v / 2], Half2::twice(tap[p].weight[t]), blend);
      }
    }
    return blend;
  }
  /// Adds channels v and v + 1.
  template <int points, int batch, int taps, int vector>
  __device__ static void add_half2(float& first, float& second, const Taps<K> (&tap)[batch],
                                   const Vector<Stored, vector> (&value)[batch][taps], int v) {
    typename Half2::Type blend;
    blend.x = from_float<Stored>(kFloatSums ? 0.0F : first);
    blend.y = from_float<Stored>(kFloatSums ? 0.0F : second);
    const float2 both = Half2::to_floats(blended<points>(blend, tap, value, v));
    first = kFloatSums ? first + both.x : both.x;
    second = kFloatSums ? second + both.y : both.y;
  }

  /// Adds the last channel of an odd number of channels.
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
