// Values are stored as round(127 * v / max|v|) in 8 bits, with one scale for each image, head and
// level: a quarter or half of the bytes that are gathered. A byte b + 128 becomes the half 1024 + b
// + 128 by setting its upper byte, and subtracting 1152 leaves b: no conversion instruction. Blend
// in half2, sums in fp32.
#pragma once

#include <msda/slots/encoded.cuh>

namespace msda::int8_value {

template <class K, class Parameters>
struct Arithmetic : EncodedArithmetic<K, Arithmetic<K, Parameters>> {
  using Stored = unsigned char;
  static constexpr float kLargest = 127.0F;  ///< of the codes

  __device__ static Stored code(float v) {  // |v| <= kLargest
    return static_cast<Stored>(__float2int_rn(v) + 128);
  }
  __device__ static __half2 decode(Stored first, Stored second) {
    const unsigned bits = 0x64006400U | first | static_cast<unsigned>(second) << 16;
    return __hsub2(reinterpret_cast<const __half2&>(bits), __float2half2_rn(1152.0F));
  }
};

}  // namespace msda::int8_value
