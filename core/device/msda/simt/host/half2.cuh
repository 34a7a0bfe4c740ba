// The common part of half and bfloat16: scalars, pairs, and arithmetic that rounds once.
#pragma once

#include <msda/simt/host/narrow.cuh>

namespace msda::simt::host {

/// The bits of one or two numbers, as CUDA's conversion functions return them.
struct Raw16 {
  unsigned short x;
};
struct alignas(4) Raw32 {
  unsigned short x, y;
};

template <class Format>
struct Scalar16 {
  unsigned short bits;

  Scalar16() = default;
  Scalar16(float v) : bits(static_cast<unsigned short>(Format::round(v))) {}     // NOLINT
  Scalar16(double v) : bits(static_cast<unsigned short>(Format::round(v))) {}    // NOLINT
  Scalar16(int v) : bits(static_cast<unsigned short>(Format::round(v))) {}       // NOLINT
  Scalar16(unsigned v) : bits(static_cast<unsigned short>(Format::round(v))) {}  // NOLINT
  Scalar16(Raw16 raw) : bits(raw.x) {}                                           // NOLINT
  operator float() const { return Format::widen(bits); }                         // NOLINT

  static Scalar16 from_bits(unsigned bits) {
    Scalar16 scalar;
    scalar.bits = static_cast<unsigned short>(bits);
    return scalar;
  }
};

template <class Format>
struct alignas(4) Pair16 {
  Scalar16<Format> x, y;

  Pair16() = default;
  Pair16(Scalar16<Format> first, Scalar16<Format> second) : x(first), y(second) {}
  Pair16(Raw32 raw) : x(Raw16{raw.x}), y(Raw16{raw.y}) {}  // NOLINT
};

// Sums and products of two such numbers are exact in a double, or so near that rounding twice is
// rounding once (Figueroa 1995: 53 >= 2 * 24 + 2).
template <class F>
Scalar16<F> add(Scalar16<F> a, Scalar16<F> b) {
  return {static_cast<double>(static_cast<float>(a)) + static_cast<double>(static_cast<float>(b))};
}
template <class F>
Scalar16<F> subtract(Scalar16<F> a, Scalar16<F> b) {
  return {static_cast<double>(static_cast<float>(a)) - static_cast<double>(static_cast<float>(b))};
}
template <class F>
Scalar16<F> multiply(Scalar16<F> a, Scalar16<F> b) {
  return {static_cast<double>(static_cast<float>(a)) * static_cast<double>(static_cast<float>(b))};
}
template <class F>
Scalar16<F> divide(Scalar16<F> a, Scalar16<F> b) {
  return {static_cast<double>(static_cast<float>(a)) / static_cast<double>(static_cast<float>(b))};
}
template <class F>
Scalar16<F> multiply_add(Scalar16<F> a, Scalar16<F> b, Scalar16<F> c) {
  return {multiply_add_to_odd(a, b, c)};
}

#define MSDA_NARROW_OPERATOR(SYMBOL, FUNCTION)                     \
  template <class F>                                               \
  Scalar16<F> operator SYMBOL(Scalar16<F> a, Scalar16<F> b) {      \
    return FUNCTION(a, b);                                         \
  }                                                                \
  template <class F>                                               \
  Scalar16<F>& operator SYMBOL##=(Scalar16<F>& a, Scalar16<F> b) { \
    return a = FUNCTION(a, b);                                     \
  }                                                                \
  template <class F>                                               \
  Pair16<F> operator SYMBOL(Pair16<F> a, Pair16<F> b) {            \
    return {FUNCTION(a.x, b.x), FUNCTION(a.y, b.y)};               \
  }
MSDA_NARROW_OPERATOR(+, add)
MSDA_NARROW_OPERATOR(-, subtract)
MSDA_NARROW_OPERATOR(*, multiply)
MSDA_NARROW_OPERATOR(/, divide)
#undef MSDA_NARROW_OPERATOR

}  // namespace msda::simt::host

/// Defines CUDA's functions of one of the two types: T, T2, and the names' middle (half, bfloat16).
#define MSDA_NARROW_CONVERSIONS(T, T2, NAME, NAME2)                         \
  inline T __float2##NAME(float v) { return {v}; }                          \
  inline T __float2##NAME##_rn(float v) { return {v}; }                     \
  inline T __double2##NAME(double v) { return {v}; }                        \
  inline T __int2##NAME##_rn(int v) { return {v}; }                         \
  inline T __uint2##NAME##_rn(unsigned v) { return {v}; }                   \
  inline T __ushort_as_##NAME(unsigned short v) { return T::from_bits(v); } \
  inline unsigned short __##NAME##_as_ushort(T v) { return v.bits; }        \
  inline T2 __float2##NAME2##_rn(float v) { return {{v}, {v}}; }            \
  inline T2 __floats2##NAME2##_rn(float x, float y) { return {{x}, {y}}; }  \
  inline T2 __float22##NAME2##_rn(float2 v) { return {{v.x}, {v.y}}; }      \
  inline T2 __##NAME##2##NAME2(T v) { return {v, v}; }                      \
  inline T2 __halves2##NAME2(T x, T y) { return {x, y}; }

#define MSDA_NARROW_ARITHMETIC(T, T2)                                                \
  inline T __hadd(T a, T b) { return msda::simt::host::add(a, b); }                  \
  inline T __hsub(T a, T b) { return msda::simt::host::subtract(a, b); }             \
  inline T __hmul(T a, T b) { return msda::simt::host::multiply(a, b); }             \
  inline T __hdiv(T a, T b) { return msda::simt::host::divide(a, b); }               \
  inline T __hfma(T a, T b, T c) { return msda::simt::host::multiply_add(a, b, c); } \
  inline T __hneg(T a) { return T::from_bits(a.bits ^ 0x8000U); }                    \
  inline T __habs(T a) { return T::from_bits(a.bits & 0x7fffU); }                    \
  inline T __hmin(T a, T b) { return {fminf(a, b)}; }                                \
  inline T __hmax(T a, T b) { return {fmaxf(a, b)}; }                                \
  inline T2 __hadd2(T2 a, T2 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }     \
  inline T2 __hsub2(T2 a, T2 b) { return {__hsub(a.x, b.x), __hsub(a.y, b.y)}; }     \
  inline T2 __hmul2(T2 a, T2 b) { return {__hmul(a.x, b.x), __hmul(a.y, b.y)}; }     \
  inline T2 __hfma2(T2 a, T2 b, T2 c) {                                              \
    msda::simt::host::count(msda::simt::host::kPairFma);                             \
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                           \
  }                                                                                  \
  inline T2 __hneg2(T2 a) { return {__hneg(a.x), __hneg(a.y)}; }                     \
  inline T2 __habs2(T2 a) { return {__habs(a.x), __habs(a.y)}; }                     \
  inline T2 __hmin2(T2 a, T2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }     \
  inline T2 __hmax2(T2 a, T2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }     \
  inline float __low2float(T2 v) { return v.x; }                                     \
  inline float __high2float(T2 v) { return v.y; }
