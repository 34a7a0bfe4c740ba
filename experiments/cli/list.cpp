#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "cli/variant_text.hpp"
#include "problem/validate.hpp"
#include "results/entries_json.hpp"
#include "runner/experiment/experiment.hpp"

namespace msda {
namespace {

using nlohmann::json;

Arguments list_arguments() {
  Arguments arguments({"list [OPTION...]",
                       "Lists the variants found, with those that could not be loaded and why; or, "
                       "when asked, the operators with the slots of their skeletons, the problem "
                       "presets and the recipes of a file.",
                       "  msda list\n"
                       "  msda list --json\n"
                       "  msda list --operators\n"
                       "  msda list --presets --recipes experiments/recipes.yaml\n"});
  arguments.flag("json", "print JSON for scripts");
  arguments.flag("operators", "list the operators, and the slots of their skeletons");
  arguments.option("operator", "NAME", "of the variants, those alone that compute it");
  arguments.flag("presets", "list the problem presets");
  arguments.option("recipes", "FILE", "list the recipes of FILE and of what it includes");
  arguments.plugin_option();
  return arguments;
}

/// Those that compute `op`, or any operator where it is null, and those that are broken.
std::vector<const Plugin*> plugins_of(const Registry& registry, const Operator* op) {
  std::vector<const Plugin*> plugins;
  for (const Plugin& plugin : registry.plugins()) {
    if (op == nullptr || !plugin.error.empty() || operator_of(*plugin.variant) == op) {
      plugins.push_back(&plugin);
    }
  }
  return plugins;
}

void print_variants(const std::vector<const Plugin*>& plugins) {
  std::size_t name_width = 0;
  std::size_t kind_width = 0;
  for (const Plugin* plugin : plugins) {
    if (!plugin->error.empty()) continue;
    name_width = std::max(name_width, plugin->name.size());
    kind_width = std::max(kind_width, kind_text(*plugin->variant).size());
  }
  for (const Plugin* plugin : plugins) {
    if (!plugin->error.empty()) continue;
    fmt::print("{:<{}}  {:<{}}  {}\n", plugin->name, name_width, kind_text(*plugin->variant),
               kind_width, plugin->variant->info().summary);
  }
  for (const Plugin* plugin : plugins) {
    if (plugin->error.empty()) continue;
    fmt::print("{}  {}\n", coloured("broken", Colour::kRed, stdout), plugin->error);
  }
  if (plugins.empty()) fmt::print("no variants found\n");
}

json variants_json(const std::vector<const Plugin*>& plugins) {
  json variants = json::array();
  for (const Plugin* plugin : plugins) variants.push_back(to_json(*plugin));
  return variants;
}

void print_operators() {
  for (const Operator* op : operators()) {
    fmt::print("{:<22}{}\n", op->name(), op->summary());
    for (const Skeleton& skeleton : op->skeletons()) {
      const std::string slots = fmt::format("{}", fmt::join(skeleton.slot_names(), ", "));
      fmt::print("  {:<20}{}\n", skeleton.name, slots);
    }
  }
}

json operators_json() {
  json list = json::array();
  for (const Operator* op : operators()) {
    json skeletons = json::array();
    for (const Skeleton& skeleton : op->skeletons()) {
      skeletons.push_back({{"name", skeleton.name}, {"slots", skeleton.slot_names()}});
    }
    list.push_back(
        {{"name", op->name()}, {"summary", op->summary()}, {"skeletons", std::move(skeletons)}});
  }
  return list;
}

void print_presets() {
  for (const std::string& name : preset_names()) {
    fmt::print("{:<22}{}\n", name, describe(preset(name)));
  }
}

json presets_json() {
  json presets = json::array();
  for (const std::string& name : preset_names()) {
    presets.push_back({{"name", name}, {"description", describe(preset(name))}});
  }
  return presets;
}

void print_recipe(const std::string& name, const Recipe& recipe) {
  fmt::print("{:<28}{}\n", name,
             recipe.error.empty() ? uses_text(recipe.uses)
                                  : coloured("broken", Colour::kRed, stdout) + "  " + recipe.error);
}

json recipes_json(const Recipes& recipes) {
  json list = json::array();
  for (const auto& [name, recipe] : recipes) {
    json entry = write_json(ArmEntry{name, recipe.uses, uses_text(recipe.uses)});
    entry["error"] = recipe.error;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

int list_command(const std::vector<std::string>& words) {
  Arguments arguments = list_arguments();
  if (!arguments.parse(words)) return 0;
  const Registry registry = load_registry(arguments);
  const bool with_presets = arguments.has("presets");
  const auto file = arguments.find("recipes");
  const bool with_operators = arguments.has("operators");
  const bool with_variants = !with_presets && !with_operators && !file;
  const std::vector<const Plugin*> plugins = plugins_of(registry, operator_option(arguments));
  const Recipes recipes = file ? load_recipes(*file, registry) : Recipes();
  if (arguments.has("json")) {
    json object = json::object();
    if (with_variants) object["variants"] = variants_json(plugins);
    if (with_operators) object["operators"] = operators_json();
    if (with_presets) object["presets"] = presets_json();
    if (file) object["recipes"] = recipes_json(recipes);
    fmt::print("{}\n", object.dump(2));
    return 0;
  }
  if (with_variants) print_variants(plugins);
  if (with_operators) print_operators();
  if (with_presets) print_presets();
  for (const auto& [name, recipe] : recipes) print_recipe(name, recipe);
  return 0;
}

}  // namespace msda
