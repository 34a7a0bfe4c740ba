// Element types of the operator's tensors.
#pragma once

#include <cstddef>
#include <string_view>

namespace msda {

enum class DType { kFloat32, kFloat16, kBFloat16 };

constexpr std::size_t size_of(DType type) { return type == DType::kFloat32 ? 4 : 2; }

/// "fp32", "fp16", "bf16": the names used in YAML, on the command line and in records.
constexpr std::string_view name_of(DType type) {
  switch (type) {
    case DType::kFloat32: return "fp32";
    case DType::kFloat16: return "fp16";
    case DType::kBFloat16: return "bf16";
  }
  return "?";
}

/// The storage type of each tensor. Arithmetic types are a variant's business, not the problem's.
struct Types {
  DType value = DType::kFloat32;
  DType location = DType::kFloat32;
  DType weight = DType::kFloat32;
  DType output = DType::kFloat32;

  static constexpr Types all(DType type) { return {type, type, type, type}; }
  friend constexpr bool operator==(const Types&, const Types&) = default;
};

}  // namespace msda
