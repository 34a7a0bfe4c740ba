// How variants, parameters and recipes read in lists and descriptions.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "compose/composition.hpp"
#include "plugin/registry.hpp"

namespace msda {

/// "kernel on cpu", "optimization of direct/mapping".
std::string kind_text(const Variant& variant);
/// "integer, 1 to 64, default 8".
std::string type_text(const ParameterSpec& spec);
/// "vector-loads{width=4} + persistent"; "the direct skeleton" for none.
std::string uses_text(const std::vector<Use>& uses);
/// The operator that a variant computes with its default parameters; null for a placement, which
/// may stand beside any.
const Operator* operator_of(const Variant& variant);
/// Names of the variants that fill a slot, in the registry's order.
std::vector<std::string> fillers_of(const std::string& slot, const Registry& registry);
/// For scripts: name, version, kind, slot, summary, parameters; or name, file and error.
nlohmann::json to_json(const Plugin& plugin);

}  // namespace msda
