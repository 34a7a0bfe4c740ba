#include "runner/spec/schema.hpp"

#include <initializer_list>
#include <string>
#include <utility>

#include "external/external.hpp"
#include "input/input.hpp"

namespace msda {
namespace {

using nlohmann::json;

json reference(const char* name) { return {{"$ref", std::string("#/definitions/") + name}}; }

json list_of(json items) {
  return {{"type", "array"}, {"items", std::move(items)}, {"minItems", 1}};
}

json one_of_names(std::vector<std::string> names) { return {{"enum", std::move(names)}}; }

json text() { return {{"type", "string"}}; }
json name() { return {{"type", "string"}, {"pattern", "^[^/\\s]+$"}}; }
json scalar() { return {{"type", json::array({"string", "number"})}}; }

json integer(std::int64_t minimum, std::int64_t maximum) {
  return {{"type", "integer"}, {"minimum", minimum}, {"maximum", maximum}};
}

json duration() { return {{"type", "string"}, {"pattern", R"(^\s*[0-9.]+\s*(ms|s|min|h)\s*$)"}}; }

json object(json properties, std::initializer_list<const char*> required = {}) {
  json result = {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (required.size() > 0)
    result["required"] = std::vector<std::string>(required.begin(), required.end());
  return result;
}

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

/// {parameter: value, ...}, of one variant. `wrap` makes what stands for a parameter.
template <class Wrap>
json parameter_map(const VariantInfo& variant, const Wrap& wrap) {
  json parameters = json::object();
  for (const ParameterSpec& spec : variant.parameters) {
    parameters[spec.name] = wrap(parameter(spec));
  }
  json result = object(std::move(parameters));
  result["description"] = variant.summary;
  return result;
}

/// What an arm with a library of its own says of it.
json external(const Registry& registry) {
  json result = parameter_map(registry.find(kExternalVariant).variant->info(),
                              [](json parameter) { return parameter; });
  result["required"] = {"library"};
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
  variants[kExternalVariant] = external(registry);
  json result = object(std::move(variants));
  result["minProperties"] = 1;
  result["maxProperties"] = 1;
  return result;
}

json problem() {
  const json dtype = one_of_names({"fp32", "fp16", "bf16"});
  const json size = integer(1, std::int64_t{1} << 40);
  json levels = list_of(list_of(size));
  levels["items"]["minItems"] = 2;
  levels["items"]["maxItems"] = 2;
  levels["maxItems"] = kMaxLevels;
  const json map = object(
      {{"name", name()},
       {"preset", one_of_names(preset_names())},
       {"input", text()},
       {"types",
        {{"anyOf",
          {dtype,
           object(
               {{"value", dtype}, {"location", dtype}, {"weight", dtype}, {"output", dtype}})}}}},
       {"batch", size},
       {"queries", size},
       {"heads", size},
       {"channels", size},
       {"points", size},
       {"levels", levels},
       {"layout", one_of_names({"plain", "zero-border"})},
       {"distribution", text()},
       {"sigma", {{"type", "number"}}},
       {"outside_share", {{"type", "number"}}},
       {"objects", {{"type", "integer"}}},
       {"seed", {{"type", "integer"}, {"minimum", 0}}}});
  return {{"anyOf", {one_of_names(preset_names()), map}}};
}

json claim() {
  json result = object({{"text", text()},
                        {"source", text()},
                        {"arm", name()},
                        {"over", name()},
                        {"problem", name()},
                        {"mode", reference("mode")},
                        {"speedup", scalar()},
                        {"time", text()},
                        {"speed-of-light", text()},
                        {"not-testable", text()},
                        {"note", text()}},
                       {"text", "source", "arm"});
  result["oneOf"] = json::array();
  for (const char* quantity : {"speedup", "time", "speed-of-light", "not-testable"}) {
    result["oneOf"].push_back({{"required", {quantity}}});
  }
  return result;
}

json measure() {
  const json phases = object({{"compile", duration()},
                              {"prepare", duration()},
                              {"verify", duration()},
                              {"measure", duration()}});
  return object({{"modes", list_of(reference("mode"))},
                 {"processes", integer(1, 1000)},
                 {"most_processes", integer(1, 1000)},
                 {"noise_pair", {{"type", "boolean"}}},
                 {"precision", {{"type", "string"}, {"pattern", R"(^\s*[0-9.]+\s*%\s*$)"}}},
                 {"blocks", integer(1, 100'000)},
                 {"samples", integer(1, 100'000)},
                 {"warmup", integer(0, 100'000)},
                 {"input_sets", integer(1, 64)},
                 {"seed", {{"type", "integer"}, {"minimum", 0}}},
                 {"timeout", {{"anyOf", {duration(), phases}}}},
                 {"budget", duration()}});
}

json ablation(const Registry& registry) {
  const json design =
      one_of_names({"add-one", "leave-one-out", "ladder", "full", "fractional", "list"});
  const json values = variant_maps(registry, [](json parameter) {
    json list = list_of(parameter);
    return json{{"anyOf", {std::move(parameter), std::move(list)}}};
  });
  const json levels = {
      {"anyOf", {{{"type", "null"}}, reference("use"), values, list_of(reference("use"))}}};
  const json tied = object({{"zip", list_of(levels)}}, {"zip"});
  json factors = {{"type", "object"}, {"additionalProperties", {{"anyOf", {levels, tied}}}}};
  return object({{"base", {{"anyOf", {name(), reference("uses")}}}},
                 {"factors", std::move(factors)},
                 {"all", {{"type", "object"}}},
                 {"requires", {{"type", "object"}}},
                 {"excludes", {{"type", "array"}}},
                 {"design", {{"anyOf", {design, list_of(design)}}}},
                 {"resolution", integer(3, 100)},
                 {"generators", {{"type", "object"}}},
                 {"random", {{"type", "integer"}, {"minimum", 1}}},
                 {"seed", {{"type", "integer"}, {"minimum", 0}}},
                 {"list", {{"type", "array"}}}},
                {"base", "factors", "design"});
}

json space(const Registry& registry) {
  const json values = variant_maps(registry, [](json parameter) {
    json list = list_of(parameter);
    return json{{"anyOf", {std::move(parameter), std::move(list)}}};
  });
  const json alternative = {{"anyOf", {name(), values}}};
  const json factor = {{"anyOf", {{{"type", "null"}}, alternative, list_of(alternative)}}};
  const json pattern = {{"type", "object"}, {"minProperties", 1}};
  const json requirement = object({{"when", pattern}, {"then", pattern}}, {"when", "then"});
  return object(
      {{"base", {{"anyOf", {name(), reference("uses")}}}},
       {"factors", {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", factor}}},
       {"requires", list_of(requirement)},
       {"excludes", list_of(pattern)},
       {"error", {{"type", "number"}, {"minimum", 1e-12}, {"maximum", 1}}},
       {"budget", duration()},
       {"enumerate", integer(1, 100'000)},
       {"finalists", integer(1, 20)}},
      {"factors"});
}

}  // namespace

json experiment_schema(const Registry& registry) {
  const json use = {
      {"anyOf", {name(), variant_maps(registry, [](json parameter) { return parameter; })}}};
  const json error = object({{"error", {{"type", "number"}}}}, {"error"});
  const json best = {{"anyOf", {one_of_names({"best"}), object({{"best", error}}, {"best"})}}};
  const json use_of_arm = {{"anyOf", {reference("uses"), best}}};
  const json arm = {
      {"anyOf",
       {name(), object({{"name", name()}, {"use", use_of_arm}}, {"name", "use"}),
        object({{"name", name()}, {"external", external(registry)}}, {"name", "external"})}}};
  json schema = object(
      {{"name", name()},
       {"summary", text()},
       {"device",
        {{"type", "string"}, {"pattern", "^(auto|cpu|cuda:[0-9]+|simt(:[0-9]+(:races)?)?)$"}}},
       {"include", list_of(text())},
       {"recipes", {{"type", "object"}, {"additionalProperties", reference("uses")}}},
       {"problems", list_of(problem())},
       {"arms", list_of(arm)},
       {"ablation", ablation(registry)},
       {"space", space(registry)},
       {"baseline", name()},
       {"claims", list_of(claim())},
       {"measure", measure()}});
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "MSDA Lab experiment";
  schema["definitions"] = {{"use", use},
                           {"uses", {{"type", "array"}, {"items", reference("use")}}},
                           {"mode", one_of_names({"warm", "cold", "graph"})}};
  return schema;
}

}  // namespace msda
