// Arithmetic for which the compiler would choose other instructions.
#pragma once

#if defined(MSDA_SIMT_HOST)
#include <msda/simt/host/executor.cuh>
#endif

namespace msda::ptx {

/// The floor of a number, as an integer and as a float.
struct Floor {
  int integer;
  float value;
};

/// fast_floor() is exact for |x| up to this.
inline constexpr int kFastFloorLimit = 1 << 22;

#if !defined(MSDA_SIMT_HOST)

/// address + index * stride in one instruction, where the compiler would take two for an index of
/// 16 bits. As after opaque() (memory.cuh), a later constant becomes part of the load.
template <unsigned stride>
__device__ __forceinline__ const unsigned char* mad_wide(const unsigned char* address,
                                                         unsigned index) {
  asm("mad.wide.u32 %0, %1, %2, %0;" : "+l"(address) : "r"(index), "n"(stride));
  return address;
}

/// offset + index * stride in one instruction, for bytes in shared memory.
template <unsigned stride>
__device__ __forceinline__ int mad_lo(int offset, unsigned index) {
  asm("mad.lo.s32 %0, %1, %2, %0;" : "+r"(offset) : "r"(index), "n"(stride));
  return offset;
}

/// The floor of x. A sum with 1.5 * 2^23 has no room for a fraction in its significand, so an
/// addition that rounds down replaces conversions to an integer and back, which have at most a
/// quarter of its rate.
__device__ __forceinline__ Floor fast_floor(float x) {
  constexpr float kOffset = 12582912.0F;
  const float sum = __fadd_rd(x, kOffset);
  return {__float_as_int(sum) - __float_as_int(kOffset), sum - kOffset};
}

/// 2 to the power of x, with a relative error of at most 2^-22; 0 below the normal numbers.
__device__ __forceinline__ float ex2(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

/// Four of the eight bytes of `first` (0 to 3) and `second` (4 to 7), selected by the hexadecimal
/// digits of `digits`; the last digit selects the lowest byte.
template <unsigned digits>
__device__ __forceinline__ unsigned prmt(unsigned first, unsigned second) {
  return __byte_perm(first, second, digits);
}

/// sum + the dot product of two weights of 16 bits and two codes of 8 bits, all signed, from the
/// upper or the lower half of `codes`.
template <bool upper>
__device__ __forceinline__ int dp2a(unsigned weights, unsigned codes, int sum) {
  if constexpr (upper) {
    asm("dp2a.hi.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(weights), "r"(codes));
  } else {
    asm("dp2a.lo.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(weights), "r"(codes));
  }
  return sum;
}

#else

template <unsigned stride>
inline const unsigned char* mad_wide(const unsigned char* address, unsigned index) {
  return address + static_cast<unsigned long long>(index) * stride;
}
template <unsigned stride>
inline int mad_lo(int offset, unsigned index) {
  return offset + static_cast<int>(index * stride);
}
inline Floor fast_floor(float x) {
  const float value = floorf(x);
  return {static_cast<int>(value), value};
}
/// With 0 in place of what is below the normal numbers, as ex2.approx.ftz has it.
inline float ex2(float x) { return x < -126.0F ? 0.0F : __builtin_exp2f(x); }
template <unsigned digits>
inline unsigned prmt(unsigned first, unsigned second) {
  const unsigned long long bytes = first | static_cast<unsigned long long>(second) << 32U;
  unsigned picked = 0;
  for (unsigned at = 0; at < 4; ++at) {
    const unsigned byte = digits >> (4 * at) & 7U;
    picked |= static_cast<unsigned>(bytes >> (8 * byte) & 0xffU) << (8 * at);
  }
  return picked;
}
template <bool upper>
inline int dp2a(unsigned weights, unsigned codes, int sum) {
  simt::host::count(simt::host::kIntegerDot);
  constexpr unsigned kShift = upper ? 16U : 0U;
  return sum + static_cast<short>(weights) * static_cast<signed char>(codes >> kShift) +
         static_cast<short>(weights >> 16U) * static_cast<signed char>(codes >> (kShift + 8U));
}

#endif

}  // namespace msda::ptx
