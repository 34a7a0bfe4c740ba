// Storage types to and from vectors of float. Included by row_kernel.cpp alone.
#pragma once

#include <type_traits>

#include <hwy/highway.h>

#include "row_plan.hpp"

namespace msda::cpu_rows::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <DType>
struct VectorElementOf;
template <>
struct VectorElementOf<DType::kFloat32> {
  using Type = float;
};
template <>
struct VectorElementOf<DType::kFloat16> {
  using Type = hwy::float16_t;
};
template <>
struct VectorElementOf<DType::kBFloat16> {
  using Type = hwy::bfloat16_t;
};

/// A storage type as Highway has it.
template <DType kType>
using VectorElement = typename VectorElementOf<kType>::Type;

template <class D>
HWY_INLINE hn::Vec<D> load_as_float(D d, const float* from) {
  return hn::LoadU(d, from);
}

/// T is hwy::float16_t or hwy::bfloat16_t.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_as_float(D d, const T* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
}

template <class D>
HWY_INLINE void store_from_float(D d, hn::Vec<D> v, float* to) {
  hn::StoreU(v, d, to);
}

/// Stores the low half of each 32-bit lane.
template <class D, class T>
HWY_INLINE void store_low_halves(D /*d*/, hn::Vec<hn::RebindToUnsigned<D>> bits, T* to) {
  const hn::Rebind<std::uint16_t, D> narrow;
  const hn::RebindToSigned<D> wide;
  hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(wide, bits)), narrow,
             reinterpret_cast<std::uint16_t*>(to));
}

/// Rounds to nearest even; Highway 1.0's own conversion cuts the low bits off.
template <class D>
HWY_INLINE void store_from_float(D d, hn::Vec<D> v, hwy::bfloat16_t* to) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7FFF))));
  const auto quiet = hn::Or(hn::ShiftRight<16>(bits), hn::Set(du, 0x40));
  const auto is_nan = hn::RebindMask(du, hn::IsNaN(v));
  store_low_halves(d, hn::IfThenElse(is_nan, quiet, rounded), to);
}

/// Rounds to nearest even on every instruction set (method: F. Giesen, float_to_half_fast3_rtne,
/// 2016).
template <class D>
HWY_INLINE void store_from_float(D d, hn::Vec<D> v, hwy::float16_t* to) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(du, v);
  const auto sign = hn::And(bits, hn::Set(du, 0x80000000U));
  const auto magnitude = hn::Xor(bits, sign);
  // Normal results: rebias the exponent, round the 13 bits that go.
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1));
  const auto rebias = hn::Set(du, 0xC8000FFFU);  // (15 - 127) << 23, plus 0xFFF to round
  const auto normal = hn::ShiftRight<13>(hn::Add(hn::Add(magnitude, rebias), odd));
  // Subnormal results: a float addition aligns and rounds the mantissa.
  const auto magic = hn::Set(du, 0x3F000000U);  // 0.5f: its last bit is the smallest subnormal
  const auto sum = hn::Add(hn::BitCast(d, magnitude), hn::BitCast(d, magic));
  const auto subnormal = hn::Sub(hn::BitCast(du, sum), magic);
  // Magnitudes are below 2^31, so signed comparisons hold, which every instruction set has.
  const auto signed_magnitude = hn::BitCast(di, magnitude);
  const auto below = [&](std::int32_t limit) {
    return hn::RebindMask(du, hn::Lt(signed_magnitude, hn::Set(di, limit)));
  };
  const auto infinite_or_nan =
      hn::IfThenElse(below(0x7F800001), hn::Set(du, 0x7C00), hn::Set(du, 0x7E00));
  const auto finite = hn::IfThenElse(below(113 << 23), subnormal, normal);
  const auto half = hn::IfThenElse(below(143 << 23), finite, infinite_or_nan);
  store_low_halves(d, hn::Or(half, hn::ShiftRight<16>(sign)), to);
}

/// Converts `count` elements one whole vector at a time, then one by one.
template <class T>
void widen(const T* from, std::int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(load_as_float(d, from + i), d, to + i);
  for (; i < count; ++i) hn::StoreU(load_as_float(one, from + i), one, to + i);
}

template <class T>
void narrow(const float* from, std::int64_t count, T* to) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) store_from_float(d, hn::LoadU(d, from + i), to + i);
  for (; i < count; ++i) store_from_float(one, hn::LoadU(one, from + i), to + i);
}

/// Elements [first, first + count) of a tensor as floats: in place when they lie there as such and
/// reading whole vectors stays inside them, else in `scratch`.
inline const float* floats_of(DType type, const unsigned char* tensor, std::int64_t first,
                              std::int64_t count, bool whole_vectors, float* scratch) {
  return with_type(type, [&]<DType kType>() -> const float* {
    const auto* from = reinterpret_cast<const VectorElement<kType>*>(tensor) + first;
    if constexpr (std::is_same_v<VectorElement<kType>, float>) {
      if (whole_vectors) return from;
    }
    widen(from, count, scratch);
    return scratch;
  });
}

}  // namespace msda::cpu_rows::HWY_NAMESPACE
