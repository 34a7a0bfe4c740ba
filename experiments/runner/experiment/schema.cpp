#include "runner/experiment/schema.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "external/external.hpp"
#include "plugin/levels.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/experiment/settings.hpp"

namespace msda {
namespace {

using nlohmann::json;

json value_of(const ParameterValue& value) {
  return std::visit([](const auto& held) { return json(held); }, value);
}

json parameter(const ParameterSpec& spec) {
  json result = {{"description", spec.summary}, {"default", value_of(spec.default_value)}};
  if (!spec.choices.empty()) {
    result["enum"] = json::array();
    for (const ParameterValue& choice : spec.choices) result["enum"].push_back(value_of(choice));
    return result;
  }
  constexpr const char* kTypes[] = {"boolean", "integer", "number", "string"};
  result["type"] = kTypes[spec.default_value.index()];
  if (spec.minimum) result["minimum"] = *spec.minimum;
  if (spec.maximum) result["maximum"] = *spec.maximum;
  return result;
}

json closed_object(json properties) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

json list_of(const json& element) { return form::list_of("", element).schema; }

/// {parameter: value, ...}, of one variant. `wrap` makes of a parameter what may stand for it.
template <class Wrap>
json parameter_map(const VariantInfo& variant, const Wrap& wrap) {
  json parameters = {{"others", {{"enum", {"default"}}}}};
  for (const ParameterSpec& spec : variant.parameters) {
    parameters[spec.name] = wrap(parameter(spec));
  }
  json result = closed_object(std::move(parameters));
  result["description"] = variant.summary;
  return result;
}

/// What an arm with a library or a Python callable of its own says of it.
json external(const Registry& registry) {
  json result = parameter_map(registry.find(kExternalVariant).variant->info(),
                              [](json parameter) { return parameter; });
  result["oneOf"] = {{{"required", {"library"}}}, {{"required", {"python"}}}};
  return result;
}

/// {variant: {parameter: value}}, one variant a map.
template <class Wrap>
json variant_maps(const Registry& registry, const Wrap& wrap) {
  json variants = json::object();
  for (const Plugin& plugin : registry.plugins()) {
    if (!plugin.error.empty()) continue;
    json& entry = variants[plugin.name];
    entry = parameter_map(plugin.variant->info(), wrap);
    entry["type"] = json::array({"object", "null"});
  }
  variants[kExternalVariant] = form::reference(kExternalVariant);
  // levels: given, beside the variants' form levels: {sizes: given}
  const VariantInfo& levels = registry.find(kLevelsVariant).variant->info();
  variants[kLevelsVariant] = {
      {"anyOf", {wrap(parameter(levels.parameters.front())), parameter_map(levels, wrap)}}};
  json result = closed_object(std::move(variants));
  result["minProperties"] = 1;
  result["maxProperties"] = 1;
  return result;
}

/// {variant: {parameter: value or list of values}}
json varied_variants(const Registry& registry) {
  return variant_maps(registry, [](json parameter) {
    json list = list_of(parameter);
    return json{{"anyOf", {std::move(parameter), std::move(list)}}};
  });
}

/// Of an ablation's factor: a variant or none, values of a parameter, variants for one slot, or
/// several of these tied together.
json factor_levels(const Registry& registry) {
  json tied = closed_object({{"zip", list_of(form::reference("levels"))}});
  tied["required"] = {"zip"};
  return {{"anyOf",
           {{{"type", "null"}},
            form::reference("use"),
            varied_variants(registry),
            list_of(form::reference("use")),
            std::move(tied)}}};
}

/// Of a space's factor: variants with their parameters, or none.
json alternatives(const Registry& registry) {
  const json one = {{"anyOf", {form::label().schema, varied_variants(registry)}}};
  return {{"anyOf", {{{"type", "null"}}, one, list_of(one)}}};
}

}  // namespace

json experiment_schema(const Registry& registry) {
  const json use = {{"anyOf", {form::label().schema, variant_maps(registry, [](json parameter) {
                                 return parameter;
                               })}}};
  json schema = object_schema(keys::experiment());
  schema.erase("required");
  schema["anyOf"] = {
      {{"required", {"problems", "arms"}}},
      {{"required", {"problems", "ablation"}}},
      {{"required", {"recipes"}}, {"propertyNames", {{"enum", names_of(keys::recipe())}}}}};
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "MSDA Lab experiment";
  schema["definitions"] = {{"use", use},
                           {"uses", {{"type", "array"}, {"items", form::reference("use")}}},
                           {"levels", factor_levels(registry)},
                           {"alternatives", alternatives(registry)},
                           {kExternalVariant, external(registry)}};
  return schema;
}

std::vector<KeyTable> key_tables() {
  constexpr const char* kExperiments = "experiments.md";
  constexpr const char* kTuning = "tuning.md";
  return {{kExperiments, "An experiment", keys::experiment()},
          {kExperiments, "A problem", keys::problem()},
          {kExperiments, "types", keys::type()},
          {kExperiments, "references", keys::references()},
          {kExperiments, "A recipe", keys::composition()},
          {kExperiments, "An arm", keys::arm()},
          {kExperiments, "A claim", keys::claim()},
          {kExperiments, "ablation", keys::ablation()},
          {kExperiments, "measure", keys::measure()},
          {kExperiments, "timeout", keys::timeout()},
          {kExperiments, "profile", keys::profile()},
          {kTuning, "space", keys::space()},
          {kTuning, "A rule of a space", keys::rule()},
          {kTuning, "best", keys::best()}};
}

std::string tables_as_markdown() {
  std::string text;
  for (const KeyTable& table : key_tables()) {
    text += fmt::format("{}**{}**\n\n{}", text.empty() ? "" : "\n", table.title,
                        markdown_table(table.keys));
  }
  return text;
}

}  // namespace msda
