// Element types of the operator's tensors. A new type is an enumerator, a row of kDTypes and a case
// of with_type(); elements.hpp says how it is read and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace msda {

/// Numbers that something is rounded to, to the nearest.
struct Format {
  double unit = 0;      ///< half a unit in the last place, relative to the number
  double smallest = 0;  ///< the same below the normal numbers, absolute
  friend constexpr bool operator==(const Format&, const Format&) = default;
};

inline constexpr Format kExact{};
inline constexpr Format kFp32{0x1p-24, 0x1p-150};
inline constexpr Format kFp16{0x1p-11, 0x1p-25};
inline constexpr Format kBf16{0x1p-8, 0x1p-134};
inline constexpr Format kE4m3{0x1p-4, 0x1p-10};

enum class DType { kFloat32, kFloat16, kBFloat16 };

/// What there is to know of an element type.
struct DTypeTraits {
  DType type;
  std::string_view name;  ///< in YAML, on the command line and in records
  std::size_t bytes;
  Format format;
  std::string_view npy;          ///< in .npy files, as the package ml_dtypes writes it
  std::string_view npy_alias;    ///< as NumPy itself writes those bits
  std::string_view device_type;  ///< in device code
  std::int32_t c_code;           ///< enum msda_type of external.h
  double acceptable_error;       ///< relative L2 error that users of the type put up with
};

/// Those of one size stand in the order in which a file of that size is taken for them.
inline constexpr DTypeTraits kDTypes[] = {
    {DType::kFloat32, "fp32", 4, kFp32, "<f4", "<f4", "float", 0, 1e-5},
    {DType::kFloat16, "fp16", 2, kFp16, "<f2", "<f2", "__half", 1, 1e-3},
    {DType::kBFloat16, "bf16", 2, kBf16, "<V2", "|V2", "__nv_bfloat16", 2, 8e-3},
};

/// The type that kernels compute in by default. It holds the numbers of all others exactly.
inline constexpr DType kWidest = DType::kFloat32;
/// The type that models mostly store their tensors in, and commands take by default.
inline constexpr DType kUsual = DType::kFloat16;

constexpr const DTypeTraits& traits_of(DType type) {
  return kDTypes[static_cast<std::size_t>(type)];
}
static_assert([] {
  std::size_t row = 0;
  for (const DTypeTraits& one : kDTypes) {
    if (static_cast<std::size_t>(one.type) != row++) return false;
  }
  return true;
}());

constexpr std::size_t size_of(DType type) { return traits_of(type).bytes; }
constexpr std::string_view name_of(DType type) { return traits_of(type).name; }
constexpr Format format_of(DType type) { return traits_of(type).format; }

/// Calls `body.template operator()<type>()`: a type known at run time becomes a template argument.
template <class Body>
constexpr decltype(auto) with_type(DType type, const Body& body) {
  switch (type) {
    case DType::kFloat32: break;  // below, which a compiler wants that trusts no enumeration
    case DType::kFloat16: return body.template operator()<DType::kFloat16>();
    case DType::kBFloat16: return body.template operator()<DType::kBFloat16>();
  }
  return body.template operator()<DType::kFloat32>();
}

/// The storage type of each tensor. Arithmetic types are a variant's business, not the problem's.
struct Types {
  DType value = kWidest;
  DType location = kWidest;
  DType weight = kWidest;
  DType output = kWidest;
  /// Of reference points, which models keep in fp32 beside tensors of 16 bits.
  DType reference = DType::kFloat32;

  static constexpr Types all(DType type) {
    return {.value = type, .location = type, .weight = type, .output = type};
  }
  friend constexpr bool operator==(const Types&, const Types&) = default;
};

}  // namespace msda
