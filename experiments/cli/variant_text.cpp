#include "cli/variant_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compose/skeleton.hpp"
#include "results/entries_json.hpp"

namespace msda {
namespace {

using nlohmann::json;

constexpr const char* kTypeNames[] = {"true or false", "integer", "number", "text"};

json parameter_to_json(const ParameterSpec& spec) {
  json parameter = {{"name", spec.name},
                    {"summary", spec.summary},
                    {"type", kTypeNames[spec.default_value.index()]},
                    {"default", write_json(spec.default_value)},
                    {"choices", json::array()}};
  if (spec.minimum) parameter["minimum"] = *spec.minimum;
  if (spec.maximum) parameter["maximum"] = *spec.maximum;
  for (const ParameterValue& choice : spec.choices) {
    parameter["choices"].push_back(write_json(choice));
  }
  return parameter;
}

std::string use_text(const Use& use) {
  if (use.parameters.empty()) return use.variant;
  std::vector<std::string> values;
  for (const auto& [name, value] : use.parameters) values.push_back(name + "=" + to_string(value));
  return fmt::format("{}{{{}}}", use.variant, fmt::join(values, ", "));
}

}  // namespace

std::string kind_text(const Variant& variant) {
  if (const auto* kernel = dynamic_cast<const Kernel*>(&variant)) {
    std::vector<std::string_view> names;
    for (const DeviceKind kind : kernel->devices(resolve_parameters(variant.info(), {}))) {
      names.push_back(name_of(kind));
    }
    return fmt::format("kernel on {}", fmt::join(names, " or "));
  }
  if (const auto* optimization = dynamic_cast<const Optimization*>(&variant)) {
    return fmt::format("optimization of {}/{}", optimization->slot().skeleton,
                       optimization->slot().slot);
  }
  if (dynamic_cast<const Placement*>(&variant) == nullptr) return "level sizes";
  return "placement";
}

const Operator* operator_of(const Variant& variant) {
  const std::string own = variant.computes(resolve_parameters(variant.info(), {}));
  if (!own.empty()) return &find_operator(own);
  if (const auto* part = dynamic_cast<const Optimization*>(&variant)) {
    return &operator_of(part->slot().skeleton);
  }
  const bool is_kernel = dynamic_cast<const Kernel*>(&variant) != nullptr;
  return is_kernel ? &find_operator(kDefaultOperator) : nullptr;
}

std::vector<std::string> fillers_of(const std::string& slot, const Registry& registry) {
  std::vector<std::string> names;
  for (const Plugin& plugin : registry.plugins()) {
    const auto* part = dynamic_cast<const Optimization*>(plugin.variant.get());
    if (plugin.error.empty() && part != nullptr && part->slot().slot == slot) {
      names.push_back(plugin.name);
    }
  }
  return names;
}

std::string type_text(const ParameterSpec& spec) {
  std::string text = kTypeNames[spec.default_value.index()];
  if (!spec.choices.empty()) {
    std::vector<std::string> names;
    for (const ParameterValue& choice : spec.choices) names.push_back(to_string(choice));
    text += fmt::format(", one of {}", fmt::join(names, ", "));
  } else if (spec.minimum && spec.maximum) {
    text += fmt::format(", {} to {}", *spec.minimum, *spec.maximum);
  } else if (spec.minimum) {
    text += fmt::format(", at least {}", *spec.minimum);
  } else if (spec.maximum) {
    text += fmt::format(", at most {}", *spec.maximum);
  }
  return text + ", default " + to_string(spec.default_value);
}

std::string uses_text(const std::vector<Use>& uses) {
  if (uses.empty()) return "the direct skeleton";
  std::vector<std::string> parts;
  parts.reserve(uses.size());
  for (const Use& use : uses) parts.push_back(use_text(use));
  return fmt::format("{}", fmt::join(parts, " + "));
}

json to_json(const Plugin& plugin) {
  json object = {
      {"name", plugin.name},  {"version", plugin.version},       {"file", plugin.file.string()},
      {"hash", plugin.hash},  {"build_type", plugin.build_type}, {"optimized", plugin.optimized},
      {"error", plugin.error}};
  if (!plugin.error.empty()) return object;
  const VariantInfo& info = plugin.variant->info();
  object["summary"] = info.summary;
  if (const Operator* op = operator_of(*plugin.variant)) object["operator"] = op->name();
  object["parameters"] = json::array();
  for (const ParameterSpec& spec : info.parameters) {
    object["parameters"].push_back(parameter_to_json(spec));
  }
  if (const auto* kernel = dynamic_cast<const Kernel*>(plugin.variant.get())) {
    object["kind"] = "kernel";
    object["devices"] = json::array();
    for (const DeviceKind kind : kernel->devices(resolve_parameters(info, {}))) {
      object["devices"].push_back(name_of(kind));
    }
  } else if (const auto* part = dynamic_cast<const Optimization*>(plugin.variant.get())) {
    object["kind"] = "optimization";
    object["devices"] = {"cuda"};
    object["skeleton"] = part->slot().skeleton;
    object["slot"] = part->slot().slot;
  } else {
    object["kind"] = "placement";
    object["devices"] = {"cuda"};
  }
  return object;
}

}  // namespace msda
