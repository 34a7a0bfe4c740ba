#include <algorithm>

#include <fmt/format.h>

#include "runner/spec/parse.hpp"

namespace msda {
namespace {

const Variant& find_variant(const YamlNode& node, const std::string& name,
                            const Registry& registry) {
  return *node.locate([&]() -> const Plugin& { return registry.find(name); }).variant;
}

}  // namespace

ParameterValue parse_parameter(const std::string& key, const SourcePlace& key_place,
                               const YamlNode& node, const VariantInfo& variant) {
  const auto spec = std::find_if(variant.parameters.begin(), variant.parameters.end(),
                                 [&](const auto& known) { return known.name == key; });
  const bool known = spec != variant.parameters.end();
  const ParameterValue value =
      known ? node.as_parameter(spec->default_value) : ParameterValue(std::string());
  try {
    resolve_parameters(variant, {{key, value}});
  } catch (UsageError& error) {
    error.add_context(to_string(known ? node.place() : key_place));
    throw;
  }
  return value;
}

namespace {

/// {parameter: value, ...}
std::map<std::string, ParameterValue> parse_parameters(const YamlMap& map,
                                                       const VariantInfo& variant) {
  std::map<std::string, ParameterValue> values;
  for (const YamlMap::Entry& entry : map.entries()) {
    values.emplace(entry.key, parse_parameter(entry.key, entry.place, entry.value, variant));
  }
  return values;
}

ArmSpec parse_named_arm(const YamlNode& node, const Recipes& recipes, const Registry& registry) {
  const std::string name = parse_label(node);
  const std::string place = to_string(node.place());
  if (const auto recipe = recipes.find(name); recipe != recipes.end()) {
    return {name, node.locate([&] { return usable(recipe->second); }), place};
  }
  std::vector<std::string> known;
  for (const auto& [recipe, uses] : recipes) known.push_back(recipe);
  for (const Plugin& plugin : registry.plugins()) {
    if (plugin.error.empty() && plugin.name == name) {
      node.locate([&] { Composition(registry, {{name, {}}}); });
      return {name, {{name, {}}}, place};
    }
    known.push_back(plugin.name);
  }
  node.fail(fmt::format("no recipe or variant '{}'{}", name, suggestion(name, known)));
}

}  // namespace

bool replaces(const Registry& registry, const Use& use, const Use& given) {
  if (use.variant == given.variant) return true;
  const auto* stated = dynamic_cast<const Optimization*>(registry.find(use.variant).variant.get());
  const auto* brought =
      dynamic_cast<const Optimization*>(registry.find(given.variant).variant.get());
  return stated != nullptr && brought != nullptr &&
         stated->slot().skeleton == brought->slot().skeleton &&
         stated->slot().slot == brought->slot().slot;
}

Use parse_use(const YamlNode& node, const Registry& registry) {
  if (!node.is_map()) {
    const std::string name = node.as_text();
    find_variant(node, name, registry);
    return {name, {}};
  }
  const YamlMap map = node.as_map();
  if (map.entries().size() != 1) {
    node.fail(
        fmt::format("a variant with parameters is {{name: {{parameter: value}}}}, one a map; "
                    "here are {} keys",
                    map.entries().size()));
  }
  const YamlMap::Entry& entry = map.entries().front();
  const YamlNode at_key(YAML::Node(entry.key), "variant", entry.place);
  const Variant& variant = find_variant(at_key, entry.key, registry);
  if (entry.value.is_null()) return {entry.key, {}};
  return {entry.key, parse_parameters(entry.value.as_map(), variant.info())};
}

const std::vector<Use>& usable(const Recipe& recipe) {
  if (!recipe.error.empty()) throw UsageError(recipe.error);
  return recipe.uses;
}

std::vector<Use> overlaid(const Registry& registry, std::vector<Use> base, std::vector<Use> uses) {
  std::erase_if(base, [&](const Use& given) {
    return std::any_of(uses.begin(), uses.end(),
                       [&](const Use& use) { return replaces(registry, use, given); });
  });
  uses.insert(uses.begin(), base.begin(), base.end());
  return uses;
}

std::vector<Use> parse_uses(const YamlNode& node, const Recipes& recipes,
                            const Registry& registry) {
  std::vector<Use> base;
  std::vector<Use> uses;
  for (const YamlNode& entry : node.as_list_or_empty("variant")) {
    const auto recipe = entry.is_map() ? recipes.end() : recipes.find(entry.as_text());
    if (recipe == recipes.end()) {
      uses.push_back(parse_use(entry, registry));
    } else {
      const auto& parts = entry.locate([&]() -> auto& { return usable(recipe->second); });
      base.insert(base.end(), parts.begin(), parts.end());
    }
  }
  uses = overlaid(registry, base, std::move(uses));
  node.locate([&] { Composition(registry, uses); });
  return uses;
}

void parse_recipes(const YamlNode& node, const Registry& registry, Recipes& recipes) {
  const YamlMap map = node.as_map();
  for (const YamlMap::Entry& entry : map.entries()) {
    const std::string name =
        parse_label(YamlNode(YAML::Node(entry.key), "recipe name", entry.place));
    Recipe recipe;
    try {
      recipe.uses = parse_uses(entry.value, recipes, registry);
    } catch (const UsageError& error) {
      recipe.error = error.what();
    }
    recipes.emplace(name, std::move(recipe));
  }
}

ArmSpec parse_arm(const YamlNode& node, const Recipes& recipes, const Registry& registry) {
  if (!node.is_map()) return parse_named_arm(node, recipes, registry);
  const YamlMap map = node.as_map();
  map.allow_only({"name", "use"});
  return {parse_label(map.require("name")), parse_uses(map.require("use"), recipes, registry),
          to_string(node.place())};
}

}  // namespace msda
