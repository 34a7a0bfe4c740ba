// Named compositions: the key `recipes`.
#include <algorithm>

#include <fmt/format.h>

#include "external/external.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/experiment/settings.hpp"

namespace msda {
namespace {

/// A recipe while its map is read, and what it may name.
struct RecipeParser {
  const Recipes& recipes;
  const Registry& registry;
  Recipe recipe;
};

const Settings<RecipeParser>& composition_settings() {
  using R = RecipeParser;
  static const Settings<R> settings{
      setting<R>("use", {"a list of variants and of recipes above", form::reference("uses")},
                 "what it is made of",
                 [](const YamlNode& node, R& reader) {
                   reader.recipe.uses = parse_uses(node, reader.recipes, reader.registry);
                 })
          .required(),
      setting<R>(
          "evidence", evidence_shape(),
          "what must [show](evidence.md) of an arm that is this recipe",
          [](const YamlNode& node, R& reader) { reader.recipe.evidence = parse_evidence(node); })};
  return settings;
}

/// A list of what it uses, or a map of that and of what must show.
Recipe parse_recipe(const YamlNode& node, const Recipes& recipes, const Registry& registry) {
  RecipeParser reader{recipes, registry, {}};
  if (node.is_map()) {
    composition_settings().read(node.as_map(), reader);
  } else {
    reader.recipe.uses = parse_uses(node, recipes, registry);
  }
  return std::move(reader.recipe);
}

/// The recipe would hide what bears the name: an arm of that name would be something else.
void refuse_taken_name(const YamlMap::Entry& recipe, const Registry& registry) {
  const std::vector<Plugin>& plugins = registry.plugins();
  const bool is_variant =
      recipe.key == kExternalVariant ||  // which comes with the program, as no plugin
      std::any_of(plugins.begin(), plugins.end(),
                  [&](const Plugin& plugin) { return plugin.name == recipe.key; });
  if (!is_variant && recipe.key != "best" && recipe.key != "levels") return;
  throw UsageError(
      fmt::format("{}: recipe '{}' has the name of {} and would hide it; "
                  "call it something else",
                  to_string(recipe.place), shortened(recipe.key),
                  is_variant ? "a variant" : "what `use` takes besides"));
}

}  // namespace

void parse_recipes(const YamlNode& node, const Registry& registry, Recipes& recipes) {
  const YamlMap map = node.as_map();
  for (const YamlMap::Entry& entry : map.entries()) {
    const std::string name =
        parse_label(YamlNode(YAML::Node(entry.key), "recipe name", entry.place));
    Recipe recipe;
    try {
      refuse_taken_name(entry, registry);
      recipe = parse_recipe(entry.value, recipes, registry);
    } catch (const UsageError& error) {
      recipe.error = error.what();
    }
    recipes.insert_or_assign(name, std::move(recipe));
  }
}

Keys keys::composition() { return composition_settings().keys(); }

nlohmann::json recipe_schema() {
  return {{"anyOf", {form::reference("uses"), object_schema(keys::composition())}}};
}

}  // namespace msda
