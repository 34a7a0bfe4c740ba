// CUDA's arithmetic functions on the host, with the GPU's results: conversions saturate, a NaN
// becomes zero, and minimum and maximum of floats drop a NaN. None is constexpr, as none is for
// NVRTC.
#pragma once

template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}
// As CUDA's overloads: mixed integers meet in the wider or unsigned type.
#define MSDA_MIXED(A, B, COMMON)                                                              \
  inline COMMON min(A a, B b) { return min(static_cast<COMMON>(a), static_cast<COMMON>(b)); } \
  inline COMMON max(A a, B b) { return max(static_cast<COMMON>(a), static_cast<COMMON>(b)); } \
  inline COMMON min(B a, A b) { return min(static_cast<COMMON>(a), static_cast<COMMON>(b)); } \
  inline COMMON max(B a, A b) { return max(static_cast<COMMON>(a), static_cast<COMMON>(b)); }
MSDA_MIXED(int, unsigned, unsigned)
MSDA_MIXED(int, long, long)
MSDA_MIXED(int, long long, long long)
MSDA_MIXED(unsigned, long long, long long)
MSDA_MIXED(long, long long, long long)
#undef MSDA_MIXED

inline float fabsf(float v) { return __builtin_fabsf(v); }
inline float fminf(float a, float b) { return __builtin_fminf(a, b); }
inline float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
template <>
inline float min(float a, float b) {
  return fminf(a, b);
}
template <>
inline float max(float a, float b) {
  return fmaxf(a, b);
}
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float v) { return fminf(fmaxf(v, 0.0F), 1.0F); }

inline unsigned __float_as_uint(float v) { return __builtin_bit_cast(unsigned, v); }
inline int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
inline float __uint_as_float(unsigned v) { return __builtin_bit_cast(float, v); }
inline float __int_as_float(int v) { return __builtin_bit_cast(float, v); }

namespace msda::simt::host {
/// `whole` has no fraction.
inline int saturate_to_int(float whole) {
  if (whole != whole) return 0;
  if (whole >= 2147483648.0F) return 2147483647;
  if (whole < -2147483648.0F) return -2147483647 - 1;
  return static_cast<int>(whole);
}
}  // namespace msda::simt::host

inline int __float2int_rd(float v) { return msda::simt::host::saturate_to_int(floorf(v)); }
inline int __float2int_ru(float v) { return msda::simt::host::saturate_to_int(ceilf(v)); }
inline int __float2int_rn(float v) { return msda::simt::host::saturate_to_int(rintf(v)); }
inline int __float2int_rz(float v) { return msda::simt::host::saturate_to_int(truncf(v)); }
inline float __int2float_rn(int v) { return static_cast<float>(v); }
inline float __uint2float_rn(unsigned v) { return static_cast<float>(v); }

inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __clz(int v) { return v == 0 ? 32 : __builtin_clz(static_cast<unsigned>(v)); }
inline int __popc(unsigned v) { return __builtin_popcount(v); }

template <class T>
T __ldg(const T* p) {
  return *p;
}
