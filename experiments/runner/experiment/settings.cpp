#include "runner/experiment/settings.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace msda {

using nlohmann::json;

std::vector<std::string> names_of(const Keys& keys) {
  std::vector<std::string> names;
  for (const Key& key : keys) {
    names.push_back(key.name);
    names.insert(names.end(), key.aliases.begin(), key.aliases.end());
  }
  return names;
}

std::optional<YamlNode> find(const YamlMap& map, const Key& key) {
  std::optional<YamlNode> found = map.find(key.name);
  for (const std::string& alias : key.aliases) {
    auto other = map.find(alias);
    if (found && other) {
      other->fail(
          fmt::format("'{}' is another name of key '{}', which is given too", alias, key.name));
    }
    if (other) found = std::move(other);
  }
  return found;
}

json object_schema(const Keys& keys) {
  json properties = json::object();
  json required = json::array();
  json exclusions = json::array();
  for (const Key& key : keys) {
    json property = key.schema;
    property["description"] = key.meaning;
    for (const std::string& alias : key.aliases) {
      properties[alias] = property;
      exclusions.push_back({{"not", {{"required", {key.name, alias}}}}});
    }
    properties[key.name] = std::move(property);
    if (key.is_required) required.push_back(key.name);
  }
  json schema = {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  if (!exclusions.empty()) schema["allOf"] = std::move(exclusions);
  return schema;
}

std::string markdown_table(const Keys& keys) {
  const bool has_defaults = std::any_of(keys.begin(), keys.end(), [](const Key& key) {
    return key.is_required || !key.standard.empty();
  });
  std::string text = has_defaults
                         ? "| key | value | meaning | default |\n| --- | --- | --- | --- |\n"
                         : "| key | value | meaning |\n| --- | --- | --- |\n";
  for (const Key& key : keys) {
    text += fmt::format("| `{}` | {} | {} |", fmt::join(names_of({key}), "`, `"), key.words,
                        key.meaning);
    const std::string& standard = key.is_required ? "required" : key.standard;
    if (has_defaults) text += standard.empty() ? " |" : " " + standard + " |";
    text += "\n";
  }
  return text;
}

Keys joined(Keys first, const Keys& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace msda
