#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "evidence/condition.hpp"
#include "external/external.hpp"
#include "runner/spec/parse.hpp"
#include "runner/spec/settings.hpp"

namespace msda {
namespace {

/// `others: default` beside a variant's parameters.
constexpr std::string_view kOthers = "others";
constexpr std::string_view kDefault = "default";

const Variant& find_variant(const YamlNode& node, const std::string& name,
                            const Registry& registry) {
  return *node.locate([&]() -> const Plugin& { return registry.find(name); }).variant;
}

/// A file's name as a path that holds in any directory: relative ones are beside `experiment`.
std::string beside(const std::string& file, const std::filesystem::path& experiment) {
  return std::filesystem::absolute(experiment.parent_path() / file).lexically_normal().string();
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
  return known && spec->is_file ? beside(std::get<std::string>(value), node.place().file) : value;
}

namespace {

/// {parameter: value, ...}; `others: default` names all that the map does not.
std::map<std::string, ParameterValue> parse_parameters(const YamlMap& map,
                                                       const VariantInfo& variant) {
  std::map<std::string, ParameterValue> values;
  bool all_named = false;
  for (const YamlMap::Entry& entry : map.entries()) {
    if (entry.key == kOthers) {
      if (entry.value.as_text() != kDefault) {
        entry.value.fail(fmt::format("'{}' takes only '{}': the variant's defaults for the rest",
                                     kOthers, kDefault));
      }
      all_named = true;
      continue;
    }
    values.emplace(entry.key, parse_parameter(entry.key, entry.place, entry.value, variant));
  }
  if (all_named) {
    for (const ParameterSpec& spec : variant.parameters) {
      values.emplace(spec.name, spec.default_value);
    }
  }
  return values;
}

/// {library: FILE, symbol: NAME, ...}: what stands for `use: [{external: {...}}]`.
Use parse_external(const YamlNode& node, const Registry& registry) {
  const YamlMap map = node.as_map();
  map.require("library");
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

}  // namespace

Use* find_use(std::vector<Use>& uses, const std::string& variant) {
  const auto found = std::find_if(uses.begin(), uses.end(),
                                  [&](const Use& use) { return use.variant == variant; });
  return found == uses.end() ? nullptr : &*found;
}

bool fill_one_slot(const Registry& registry, const Use& use, const Use& given) {
  if (use.variant == given.variant) return true;
  const auto is_placement = [&](const Use& one) {
    return dynamic_cast<const Placement*>(registry.find(one.variant).variant.get()) != nullptr;
  };
  if (is_placement(use) && is_placement(given)) return true;
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

std::string level_name(const Use& use) {
  std::string parameters;
  for (const auto& [name, value] : use.parameters) {
    parameters += fmt::format("{}{}={}", parameters.empty() ? "" : ",", name, to_string(value));
  }
  return parameters.empty() ? use.variant : fmt::format("{}({})", use.variant, parameters);
}

const std::vector<Use>& usable(const Recipe& recipe) {
  if (!recipe.error.empty()) throw UsageError(recipe.error);
  return recipe.uses;
}

namespace {

/// Throws at an entry that names what is there already and changes none of its parameters.
void refuse_repetition(const YamlNode& entry, const Use& use, std::vector<Use>& base,
                       const Registry& registry) {
  const Use* const given = find_use(base, use.variant);
  if (given == nullptr) return;
  const VariantInfo& info = registry.find(use.variant).variant->info();
  const auto values = [&](const std::vector<Use>& uses) {
    return resolve_parameters(info, uses.front().parameters).values();
  };
  if (values({*given}) != values(overlaid(registry, {*given}, {use}))) return;
  entry.fail(
      fmt::format("'{0}' is there already, and this changes none of its parameters; its defaults "
                  "are {{{0}: {{others: default}}}}",
                  use.variant));
}

}  // namespace

std::vector<Use> overlaid(const Registry& registry, std::vector<Use> base, std::vector<Use> uses) {
  std::erase_if(base, [&](const Use& given) {
    return find_use(uses, given.variant) == nullptr &&
           std::any_of(uses.begin(), uses.end(),
                       [&](const Use& use) { return fill_one_slot(registry, use, given); });
  });
  for (Use& use : uses) {
    Use* const given = find_use(base, use.variant);
    if (given == nullptr) {
      base.push_back(std::move(use));
    } else {
      for (const auto& [name, value] : use.parameters) given->parameters[name] = value;
    }
  }
  return base;
}

std::vector<Use> parse_uses(const YamlNode& node, const Recipes& recipes,
                            const Registry& registry) {
  std::vector<Use> base;
  std::vector<Use> uses;
  std::vector<YamlNode> places;  // of the uses
  for (const YamlNode& entry : node.as_list_or_empty("variant")) {
    const auto recipe = entry.is_map() ? recipes.end() : recipes.find(entry.as_text());
    if (recipe == recipes.end()) {
      Use use = parse_use(entry, registry);
      if (std::any_of(uses.begin(), uses.end(),
                      [&](const Use& other) { return other.variant == use.variant; })) {
        entry.fail(fmt::format("'{}' stands in this list a second time", use.variant));
      }
      uses.push_back(std::move(use));
      places.push_back(entry);
    } else {
      const auto& parts = entry.locate([&]() -> auto& { return usable(recipe->second); });
      base.insert(base.end(), parts.begin(), parts.end());
    }
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    refuse_repetition(places[i], uses[i], base, registry);
  }
  uses = overlaid(registry, std::move(base), std::move(uses));
  node.locate([&] { Composition(registry, uses); });
  return uses;
}

std::vector<std::string> parse_evidence(const YamlNode& node) {
  const std::vector<YamlNode> entries =
      node.is_list() ? node.as_list("condition") : std::vector<YamlNode>{node};
  std::vector<std::string> conditions;
  for (const YamlNode& entry : entries) {
    conditions.push_back(entry.as_text());
    entry.locate([&] { return Condition(conditions.back()); });
  }
  return conditions;
}

Shape evidence_shape() {
  const nlohmann::json text = {{"type", "string"},
                               {"pattern", "^ *[^ ]+ +(>|>=|<|<=|==|!=) +[^ ]+ *$"}};
  return form::any_of("`rows.prefetched > 0`, or a list of [conditions](evidence.md#conditions)",
                      {text, form::list_of("", text).schema});
}

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

/// The recipe would hide the variant: an arm of that name would be something else.
void refuse_variants_name(const YamlMap::Entry& recipe, const Registry& registry) {
  const std::vector<Plugin>& plugins = registry.plugins();
  if (std::none_of(plugins.begin(), plugins.end(),
                   [&](const Plugin& plugin) { return plugin.name == recipe.key; })) {
    return;
  }
  throw UsageError(
      fmt::format("{}: recipe '{}' has a variant's name, and would hide the variant; "
                  "call it something else",
                  to_string(recipe.place), shortened(recipe.key)));
}

}  // namespace

void parse_recipes(const YamlNode& node, const Registry& registry, Recipes& recipes) {
  const YamlMap map = node.as_map();
  for (const YamlMap::Entry& entry : map.entries()) {
    const std::string name =
        parse_label(YamlNode(YAML::Node(entry.key), "recipe name", entry.place));
    Recipe recipe;
    try {
      refuse_variants_name(entry, registry);
      recipe = parse_recipe(entry.value, recipes, registry);
    } catch (const UsageError& error) {
      recipe.error = error.what();
    }
    recipes.emplace(name, std::move(recipe));
  }
}

namespace {

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
Keys keys::composition() { return composition_settings().keys(); }
Keys keys::best() { return best_settings().keys(); }

nlohmann::json recipe_schema() {
  return {{"anyOf", {form::reference("uses"), object_schema(keys::composition())}}};
}

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
