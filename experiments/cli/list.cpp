#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "cli/variant_text.hpp"
#include "compose/skeleton.hpp"
#include "json_text.hpp"
#include "nearest.hpp"
#include "problem/validate.hpp"
#include "results/entries_json.hpp"
#include "runner/experiment/experiment.hpp"

namespace msda {
namespace {

using nlohmann::json;

Arguments list_arguments() {
  Arguments arguments({"list [variants|operators|slots|presets|recipes] [OPTION...]",
                       "Lists the variants found, with those that could not be loaded and why; or "
                       "the operators with the slots of their skeletons, the slots with who fills "
                       "them, the problem presets, or the recipes of a file (default: the shipped "
                       "ones).",
                       "  msda list\n"
                       "  msda list slots\n"
                       "  msda list recipes\n"
                       "  msda list --json\n"
                       "  msda list --operators\n"
                       "  msda list --presets --recipes experiments/recipes.yaml\n"});
  arguments.flag("json", "print JSON for scripts");
  arguments.flag("operators", "list the operators, and the slots of their skeletons");
  arguments.option("operator", "NAME", "of the variants, those alone that compute it");
  arguments.flag("presets", "list the problem presets");
  arguments.flag("slots", "list the slots");
  arguments.option("recipes", "FILE", "list the recipes of FILE and of what it includes");
  arguments.plugin_option();
  arguments.words("variants|operators|slots|presets|recipes", 0, 1);
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

/// A line for each slot: the skeletons that ask it, and the variants that fill it.
void print_slots(const Registry& registry) {
  for (const std::string& slot : slot_names()) {
    const std::string fillers = fmt::format("{}", fmt::join(fillers_of(slot, registry), ", "));
    fmt::print("{:<14}{}\n", slot, fillers.empty() ? "(its default alone)" : fillers);
  }
}

json slots_json(const Registry& registry) {
  json slots = json::array();
  for (const std::string& slot : slot_names()) {
    slots.push_back({{"name", slot}, {"variants", fillers_of(slot, registry)}});
  }
  return slots;
}

/// What is listed: the word or the flag. Throws UsageError for another word.
std::string subject_of(const Arguments& arguments) {
  std::string subject = "variants";
  if (arguments.find("recipes")) subject = "recipes";
  for (const char* flag : {"operators", "presets", "slots"}) {
    if (arguments.has(flag)) subject = flag;
  }
  if (arguments.words().empty()) return subject;
  const std::vector<std::string> subjects{"variants", "operators", "slots", "presets", "recipes"};
  const std::string& word = arguments.words().front();
  if (std::ranges::find(subjects, word) != subjects.end()) return word;
  throw UsageError(fmt::format("list: there is no list of '{}'{}; there are: {}", word,
                               suggestion(word, subjects), fmt::join(subjects, ", ")));
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
  const std::string subject = subject_of(arguments);
  if (subject != "variants" && arguments.has("operator")) {
    throw UsageError(fmt::format("list: --operator is for a list of variants, not of {}", subject));
  }
  const Registry registry = load_registry(arguments);
  const std::vector<const Plugin*> plugins = plugins_of(registry, operator_option(arguments));
  const Recipes recipes =
      subject == "recipes" ? recipes_for(arguments.find("recipes"), registry) : Recipes();
  if (arguments.has("json")) {
    json object = json::object();
    if (subject == "variants") object["variants"] = variants_json(plugins);
    if (subject == "operators") object["operators"] = operators_json();
    if (subject == "slots") object["slots"] = slots_json(registry);
    if (subject == "presets") object["presets"] = presets_json();
    if (subject == "recipes") object["recipes"] = recipes_json(recipes);
    fmt::print("{}\n", json_text(object, 2));
    return 0;
  }
  if (subject == "variants") print_variants(plugins);
  if (subject == "operators") print_operators();
  if (subject == "slots") print_slots(registry);
  if (subject == "presets") print_presets();
  for (const auto& [name, recipe] : recipes) print_recipe(name, recipe);
  return 0;
}

}  // namespace msda
