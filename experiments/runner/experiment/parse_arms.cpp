// What an experiment compares: the key `arms`.
#include <fmt/format.h>

#include "external/external.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/experiment/settings.hpp"

namespace msda {
namespace {

/// {library: FILE, symbol: NAME, ...} or {python: MODULE:FUNCTION, ...}: what stands for `use:
/// [{external: {...}}]`.
Use parse_external(const YamlNode& node, const Registry& registry) {
  const YamlMap map = node.as_map();
  if (map.find("library").has_value() == map.find("python").has_value()) {
    node.fail("an external arm has either 'library' or 'python'");
  }
  return {kExternalVariant, parse_parameters(map, registry.find(kExternalVariant).variant->info())};
}

constexpr const char* kBest = "best";

const Settings<BestRequest>& best_settings() {
  static const Settings<BestRequest> settings{setting("error", &BestRequest::error,
                                                      form::number(1e-12, 1),
                                                      "largest relative L2 error that is allowed")
                                                  .required()};
  return settings;
}

/// best, or {best: {error: 3e-2}}; nullopt for anything else.
std::optional<BestRequest> parse_best(const YamlNode& node) {
  if (node.is_scalar()) {
    return node.as_text() == kBest ? std::optional(BestRequest()) : std::nullopt;
  }
  if (!node.is_map()) return std::nullopt;
  const YamlMap map = node.as_map();
  map.allow_only({kBest});
  BestRequest request;
  best_settings().read(map.require(kBest).as_map(), request);
  return request;
}

ArmSpec parse_named_arm(const YamlNode& node, const Recipes& recipes, const Registry& registry) {
  const std::string name = parse_label(node);
  const std::string place = to_string(node.place());
  if (const auto recipe = recipes.find(name); recipe != recipes.end()) {
    return {name, node.locate([&] { return usable(recipe->second); }), place, std::nullopt,
            recipe->second.evidence};
  }
  if (name == kBest) return {name, {}, place, BestRequest()};
  std::vector<std::string> known{kBest};
  for (const auto& [recipe, uses] : recipes) known.push_back(recipe);
  for (const Plugin& plugin : registry.plugins()) {
    if (plugin.error.empty() && plugin.name == name) {
      node.locate([&] { Composition(registry, {{name, {}}}); });
      return {name, {{name, {}}}, place};
    }
    known.push_back(plugin.name);
  }
  node.fail(fmt::format("no recipe or variant '{}'{}", shortened(name), suggestion(name, known)));
}

/// An arm while its map is read, and what it may name.
struct ArmReader {
  const Recipes& recipes;
  const Registry& registry;
  ArmSpec arm;
};

Shape use_of_arm() {
  nlohmann::json best = {{"type", "object"},
                         {"properties", {{kBest, object_schema(keys::best())}}},
                         {"required", {kBest}},
                         {"additionalProperties", false}};
  return form::any_of(
      "a list of variants and recipes, `{variant: {parameter: value}}`; `best`; `{best: {error: "
      "1e-3}}`",
      {form::reference("uses"), {{"const", kBest}}, std::move(best)});
}

const Settings<ArmReader>& arm_settings() {
  using R = ArmReader;
  static const Settings<R> settings{
      setting<R>("name", form::label(), "the arm's own name",
                 [](const YamlNode& node, R& reader) { reader.arm.name = parse_label(node); })
          .required(),
      setting<R>("use", use_of_arm(),
                 "what it is made of; `best`: what a search [has found](tuning.md#best)",
                 [](const YamlNode& node, R& reader) {
                   reader.arm.best = parse_best(node);
                   if (reader.arm.best) return;
                   reader.arm.uses = parse_uses(node, reader.recipes, reader.registry);
                 })
          .otherwise("required without `external`"),
      setting<R>("external", {"a [map](external.md#the-arm)", form::reference(kExternalVariant)},
                 "a kernel of a library",
                 [](const YamlNode& node, R& reader) {
                   reader.arm.uses = {parse_external(node, reader.registry)};
                 }),
      setting<R>(
          "evidence", evidence_shape(),
          "what must [show](evidence.md), beside what variants declare",
          [](const YamlNode& node, R& reader) { reader.arm.evidence = parse_evidence(node); })};
  return settings;
}

}  // namespace

Keys keys::arm() { return arm_settings().keys(); }
Keys keys::best() { return best_settings().keys(); }

nlohmann::json arm_schema() {
  nlohmann::json schema = object_schema(keys::arm());
  schema["oneOf"] = {{{"required", {"use"}}}, {{"required", {kExternalVariant}}}};
  return schema;
}

ArmSpec parse_arm(const YamlNode& node, const Recipes& recipes, const Registry& registry) {
  if (!node.is_map()) return parse_named_arm(node, recipes, registry);
  const YamlMap map = node.as_map();
  ArmReader reader{recipes, registry, {}};
  const bool is_external = map.find(kExternalVariant).has_value();
  if (is_external && map.find("use")) node.fail("an arm has either 'use' or 'external'");
  arm_settings().read(map, reader);
  if (!is_external) map.require("use");
  reader.arm.place = to_string(node.place());
  return std::move(reader.arm);
}

std::vector<Use> parse_base(const YamlNode& node, const Recipes& recipes,
                            const Registry& registry) {
  if (node.is_list()) return parse_uses(node, recipes, registry);
  const ArmSpec arm = parse_arm(node, recipes, registry);
  if (arm.best) node.fail("'best' is another composition on each problem; nothing can build on it");
  return arm.uses;
}

}  // namespace msda
