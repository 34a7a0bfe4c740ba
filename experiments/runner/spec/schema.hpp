// The JSON Schema of experiment files, for editors that complete and check YAML.
#pragma once

#include <nlohmann/json.hpp>

#include "plugin/registry.hpp"

namespace msda {

/// Draft 7. Names of variants, parameters with their types and ranges, and presets come from what
/// is there. What a schema cannot say (which variants go together, which arms claims may name) is
/// left to `msda validate`.
nlohmann::json experiment_schema(const Registry& registry);

}  // namespace msda
