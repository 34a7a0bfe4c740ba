#pragma once

#include <optional>

#include <nlohmann/json.hpp>

namespace msda {

/// null where there is none.
inline nlohmann::json json_number(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace msda
