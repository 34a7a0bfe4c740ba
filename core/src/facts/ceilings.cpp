#include "facts/ceilings.hpp"

#include <nlohmann/json.hpp>

namespace msda {

nlohmann::json to_json(const Ceilings& ceilings) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, field] : kCeilingFields) object[name] = ceilings.*field;
  return object;
}

Ceilings ceilings_from_json(const nlohmann::json& object) {
  Ceilings ceilings;
  if (!object.is_object()) return ceilings;
  for (const auto& [name, field] : kCeilingFields) {
    const auto found = object.find(name);
    if (found != object.end() && found->is_number()) ceilings.*field = found->get<double>();
  }
  return ceilings;
}

}  // namespace msda
