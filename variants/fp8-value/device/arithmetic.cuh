// Values are stored as e4m3 (4 exponent and 3 fraction bits, largest 448), with one scale for each
// image, head and level: a quarter or half of the bytes that are gathered. Blends are half2, sums
// fp32.
#pragma once

#include <cuda_fp8.h>

#include <msda/parts/encoded.cuh>

namespace msda::fp8_value {

template <class K, class Parameters>
struct Arithmetic : EncodedArithmetic<K, Arithmetic<K, Parameters>> {
  using Stored = unsigned char;
  static constexpr float kLargest = 448.0F;  ///< of the codes

  __device__ static Stored code(float v) {  // |v| <= kLargest
    return __nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E4M3);
  }
  __device__ static __half2 decode(Stored first, Stored second) {
    const auto both = static_cast<__nv_fp8x2_storage_t>(first | second << 8);
    return __half2(__nv_cvt_fp8x2_to_halfraw2(both, __NV_E4M3));
  }
};

}  // namespace msda::fp8_value
