// What compositions are made of: variants with parameters, and how a list changes what it builds
// on.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "plugin/levels.hpp"
#include "runner/experiment/parse.hpp"

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
  if (!known || !spec->is_file) return value;
  const auto& file = std::get<std::string>(value);
  if (file.empty()) node.fail(fmt::format("'{}' must be the name of a file", key));
  return beside(file, node.place().file);
}

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
  if (entry.key == kLevelsVariant && !entry.value.is_map()) {  // levels: given
    return {entry.key,
            {{kSizesParameter,
              parse_parameter(kSizesParameter, entry.place, entry.value, variant.info())}}};
  }
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

}  // namespace msda
