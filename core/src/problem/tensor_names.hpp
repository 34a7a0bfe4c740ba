// What people call the types and layouts of tensors.
#pragma once

#include <array>
#include <string_view>

#include <msda/problem.hpp>

#include "names.hpp"

namespace msda {

constexpr std::string_view name_of(ValueLayout layout) {
  return layout == ValueLayout::kPlain ? "plain" : "zero-border";
}

template <>
struct Named<DType> {
  static constexpr const char* kWhat = "type";
  static constexpr auto kValues = [] {
    std::array<DType, std::size(kDTypes)> types{};
    for (std::size_t i = 0; i < types.size(); ++i) types[i] = kDTypes[i].type;
    return types;
  }();
};

template <>
struct Named<ValueLayout> {
  static constexpr const char* kWhat = "layout";
  static constexpr std::array kValues = {ValueLayout::kPlain, ValueLayout::kZeroBorder};
};

}  // namespace msda
