// Elements of tensors in memory, one at a time: conversions to float are exact, those from float
// round to the nearest, ties to even.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include <msda/dtype.hpp>

namespace msda {

/// IEEE 754 binary16.
struct Half {
  std::uint16_t bits;
};

/// The upper half of a float.
struct BrainFloat {
  std::uint16_t bits;
};

inline float to_float(float value) { return value; }

inline float to_float(BrainFloat value) {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}

inline float to_float(Half value) {
  const std::uint32_t magnitude = value.bits & 0x7FFFU;
  const std::uint32_t sign = std::uint32_t{value.bits & 0x8000U} << 16;
  // As a float's bits the half is 2^112 too small; a multiplication puts subnormals right as well.
  std::uint32_t bits =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112F);
  if (magnitude >= 0x7C00U) bits |= 0x7F800000U;  // infinite or NaN
  return std::bit_cast<float>(bits | sign);
}

inline void from_float(float value, float& to) { to = value; }

inline void from_float(float value, BrainFloat& to) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  to.bits = static_cast<std::uint16_t>(
      std::isnan(value) ? (bits >> 16) | 0x40U : (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

inline void from_float(float value, Half& to) {
  const std::uint32_t sign = (std::bit_cast<std::uint32_t>(value) >> 16) & 0x8000U;
  const float magnitude = std::fabs(value);
  const auto bits = std::bit_cast<std::uint32_t>(magnitude);
  std::uint32_t half = 0;
  if (std::isnan(value)) {
    half = 0x7E00U;
  } else if (magnitude >= 65520.0F) {  // half way from the largest half to the next power of two
    half = 0x7C00U;
  } else if (magnitude < 0x1p-14F) {  // subnormal: the last bit of 0.5f is worth the smallest one
    half = std::bit_cast<std::uint32_t>(magnitude + 0.5F) - std::bit_cast<std::uint32_t>(0.5F);
  } else {
    half = (bits - (112U << 23) + 0xFFFU + ((bits >> 13) & 1U)) >> 13;
  }
  to.bits = static_cast<std::uint16_t>(half | sign);
}

template <DType>
struct ElementOf;
template <>
struct ElementOf<DType::kFloat32> {
  using Type = float;
};
template <>
struct ElementOf<DType::kFloat16> {
  using Type = Half;
};
template <>
struct ElementOf<DType::kBFloat16> {
  using Type = BrainFloat;
};

/// The type in memory: Element<DType::kFloat16> is Half.
template <DType kType>
using Element = typename ElementOf<kType>::Type;

/// Element `index` of a tensor of `type`.
inline float load(DType type, const void* tensor, std::int64_t index) {
  return with_type(type, [&]<DType kType>() {
    return to_float(static_cast<const Element<kType>*>(tensor)[index]);
  });
}

inline void store(DType type, void* tensor, std::int64_t index, float value) {
  with_type(type,
            [&]<DType kType>() { from_float(value, static_cast<Element<kType>*>(tensor)[index]); });
}

}  // namespace msda
