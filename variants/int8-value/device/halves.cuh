// Codes that become fp16. A byte b + 128 becomes the half 1024 + b + 128 by setting its upper byte,
// and subtracting 1152 leaves b: no conversion instruction. Blend in half2, sums in fp32.
#pragma once

#include <msda/parts/encoded.cuh>

namespace msda::int8_value {

template <class K>
struct Halves : EncodedArithmetic<K, Halves<K>> {
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
