#include "facts/ceilings.hpp"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace msda {
namespace {

constexpr std::array<std::pair<const char*, double Ceilings::*>, 5> kFields = {
    {{"dram_bytes_per_second", &Ceilings::dram_bytes_per_second},
     {"gather_bytes_per_second", &Ceilings::gather_bytes_per_second},
     {"l2_bytes_per_second", &Ceilings::l2_bytes_per_second},
     {"shared_bytes_per_second", &Ceilings::shared_bytes_per_second},
     {"cluster_bytes_per_second", &Ceilings::cluster_bytes_per_second}}};

}  // namespace

nlohmann::json to_json(const Ceilings& ceilings) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, field] : kFields) object[name] = ceilings.*field;
  return object;
}

Ceilings ceilings_from_json(const nlohmann::json& object) {
  Ceilings ceilings;
  if (!object.is_object()) return ceilings;
  for (const auto& [name, field] : kFields) {
    const auto found = object.find(name);
    if (found != object.end() && found->is_number()) ceilings.*field = found->get<double>();
  }
  return ceilings;
}

}  // namespace msda
