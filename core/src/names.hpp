// The names of an enumeration's values: one list for YAML, JSON, the schema and messages.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "nearest.hpp"

namespace msda {

/// Specialised for every enumeration that people write:
///
///   static constexpr const char* kWhat = "timing mode";
///   static constexpr std::array kValues = {...};  // each has a name_of()
template <class Enum>
struct Named;

template <class Enum>
concept IsNamed = requires {
  Named<Enum>::kValues;
};

template <IsNamed Enum>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  names.reserve(std::size(Named<Enum>::kValues));
  for (const Enum value : Named<Enum>::kValues) names.emplace_back(name_of(value));
  return names;
}

/// The value with that name. Throws UsageError with the nearest name and all there are.
template <IsNamed Enum>
Enum value_named(std::string_view name) {
  for (const Enum value : Named<Enum>::kValues) {
    if (name_of(value) == name) return value;
  }
  throw_no_such_name(Named<Enum>::kWhat, name, all_names<Enum>());
}

}  // namespace msda
