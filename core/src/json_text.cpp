#include "json_text.hpp"

#include <nlohmann/json.hpp>

namespace msda {

std::string json_text(const nlohmann::json& json, int indent) { return json.dump(indent); }

std::string json_line(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json parse_json(std::string_view text) { return nlohmann::json::parse(text); }

nlohmann::json parse_json_or_discard(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace msda
