// The one way JSON that holds people's names and messages becomes text.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace msda {

/// On one line, without its end. Bytes that are not UTF-8 become U+FFFD: they must not cost a
/// report or a record.
inline std::string json_line(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace msda
