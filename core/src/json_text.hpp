// JSON as text and back, in one place: the library's reader and writer are templates, which every
// file that used them would compile again.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace msda {

/// On one line, without its end; with an indent as people read it. Throws
/// nlohmann::json::type_error for bytes that are not UTF-8.
std::string json_text(const nlohmann::json& json, int indent = -1);

/// JSON that holds people's names and messages, on one line, without its end. Bytes that are not
/// UTF-8 become U+FFFD: they must not cost a report or a record.
std::string json_line(const nlohmann::json& json);

/// Throws nlohmann::json::parse_error.
nlohmann::json parse_json(std::string_view text);
/// A discarded value where the text is no JSON.
nlohmann::json parse_json_or_discard(std::string_view text);

}  // namespace msda
