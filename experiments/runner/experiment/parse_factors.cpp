#include "runner/experiment/parse_factors.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/experiment/parse.hpp"

namespace msda {
namespace {

class FactorReader {
 public:
  FactorReader(const std::vector<Use>& base, const Registry& registry)
      : base_(base), registry_(registry), base_text_(Composition(registry, base).describe()) {}

  FactorSpec read(const YamlMap::Entry& entry) const {
    const YamlNode key(YAML::Node(entry.key), "factor name", entry.place);
    FactorSpec spec = entry.value.is_null() ? on_off(key) : read_levels(entry.value);
    spec.factor.name = parse_label(key);
    return spec;
  }

 private:
  FactorSpec read_levels(const YamlNode& node) const {
    if (node.is_list()) return slot_levels(node);
    if (!node.is_map()) return on_off(node);
    const YamlMap map = node.as_map();
    if (map.entries().size() != 1) return on_off(node);  // which says what is wrong
    const YamlMap::Entry& only = map.entries().front();
    if (only.key == "zip") return tied(only.value);
    if (only.value.is_map()) {
      const YamlMap parameters = only.value.as_map();
      for (const YamlMap::Entry& parameter : parameters.entries()) {
        if (parameter.value.is_list()) return parameter_values(only, parameters);
      }
    }
    return on_off(node);
  }

  /// A variant that the base does not have, or other parameters of one that it has.
  FactorSpec on_off(const YamlNode& node) const {
    const LevelChange change{{parse_use(node, registry_)}, {}};
    if (changes_nothing(change)) {
      const Use& use = change.uses[0];
      node.fail(fmt::format("the base has '{}' already{}; a factor changes something", use.variant,
                            use.parameters.empty() ? "" : " with these parameters"));
    }
    return {{"", {"off", "on"}}, {{}, change}};
  }

  /// Variants for one slot; level 0 is the base's.
  FactorSpec slot_levels(const YamlNode& node) const {
    FactorSpec spec{{"", {"default"}}, {{}}};
    std::optional<Use> first;
    for (const YamlNode& entry : node.as_list("level")) {
      const Use use = parse_use(entry, registry_);
      if (!first) {
        first = use;
        for (const Use& given : base_) {
          if (fill_one_slot(registry_, use, given)) spec.factor.levels[0] = level_name(given);
        }
      } else if (!fill_one_slot(registry_, use, *first)) {
        entry.fail(
            fmt::format("'{}' and '{}' do not fill the same slot, so they are no levels of "
                        "one factor",
                        use.variant, first->variant));
      }
      add_level(entry, level_name(use), {{use}, {}}, spec);
    }
    return checked(node, std::move(spec));
  }

  /// {variant: {parameter: [values]}}; level 0 is the base's value.
  FactorSpec parameter_values(const YamlMap::Entry& variant, const YamlMap& parameters) const {
    const YamlMap::Entry& parameter = parameters.entries().front();
    if (parameters.entries().size() != 1) {
      variant.value.fail(
          fmt::format("a factor varies one parameter, here are {}; tie several with 'zip'",
                      parameters.entries().size()));
    }
    const YamlNode at_key(YAML::Node(variant.key), "variant", variant.place);
    const Use use = parse_use(at_key, registry_);
    const VariantInfo& info = registry_.find(use.variant).variant->info();
    FactorSpec spec{{"", {base_value(use.variant, parameter.key, info)}}, {{}}};
    for (const YamlNode& entry : parameter.value.as_list("value")) {
      const ParameterValue value = parse_parameter(parameter.key, parameter.place, entry, info);
      add_level(entry, to_string(value), {{}, {{use.variant, parameter.key, value}}}, spec);
    }
    return checked(parameter.value, std::move(spec));
  }

  /// Factors whose levels change together.
  FactorSpec tied(const YamlNode& node) const {
    std::optional<FactorSpec> whole;
    for (const YamlNode& entry : node.as_list("factor")) {
      FactorSpec part = read_levels(entry);
      if (!whole) {
        whole = std::move(part);
        continue;
      }
      if (part.changes.size() != whole->changes.size()) {
        entry.fail(fmt::format("tied factors have as many levels each; here are {}, before {}",
                               part.changes.size(), whole->changes.size()));
      }
      for (std::size_t level = 0; level < part.changes.size(); ++level) {
        append(part.changes[level], whole->changes[level]);
        std::string& name = whole->factor.levels[level];
        if (name != part.factor.levels[level]) name += "," + part.factor.levels[level];
      }
    }
    return *whole;
  }

  static void append(const LevelChange& from, LevelChange& to) {
    to.uses.insert(to.uses.end(), from.uses.begin(), from.uses.end());
    to.settings.insert(to.settings.end(), from.settings.begin(), from.settings.end());
  }

  /// Level 0 stands for what the base has, wherever the list has it.
  void add_level(const YamlNode& node, const std::string& name, LevelChange change,
                 FactorSpec& spec) const {
    if (changes_nothing(change)) {
      spec.factor.levels[0] = name;
      return;
    }
    const auto& names = spec.factor.levels;
    if (std::find(names.begin() + 1, names.end(), name) != names.end()) {
      node.fail(fmt::format("level '{}' stands here a second time", name));
    }
    spec.factor.levels.push_back(name);
    spec.changes.push_back(std::move(change));
  }

  static FactorSpec checked(const YamlNode& node, FactorSpec spec) {
    if (spec.changes.size() < 2) node.fail("no level differs from the base");
    return spec;
  }

  bool changes_nothing(const LevelChange& change) const {
    try {
      const auto uses = combine(registry_, base_, {{{"", {"off", "on"}}, {{}, change}}}, {1});
      return Composition(registry_, uses).describe() == base_text_;
    } catch (const UsageError&) {
      return false;  // it needs another factor beside it
    }
  }

  /// The base's value, or "default" when only another factor brings the variant.
  std::string base_value(const std::string& variant, const std::string& parameter,
                         const VariantInfo& info) const {
    for (const Use& use : base_) {
      if (use.variant != variant) continue;
      if (const auto given = use.parameters.find(parameter); given != use.parameters.end()) {
        return to_string(given->second);
      }
      for (const ParameterSpec& spec : info.parameters) {
        if (spec.name == parameter) return to_string(spec.default_value);
      }
    }
    return "default";
  }

  const std::vector<Use>& base_;
  const Registry& registry_;
  std::string base_text_;
};

}  // namespace

std::vector<FactorSpec> parse_factors(const YamlNode& node, const std::vector<Use>& base,
                                      const Registry& registry) {
  const FactorReader reader(base, registry);
  const YamlMap map = node.as_map();
  std::vector<FactorSpec> factors;
  for (const YamlMap::Entry& entry : map.entries()) factors.push_back(reader.read(entry));
  if (factors.empty()) node.fail(fmt::format("{} is empty; give at least one factor", node.name()));
  return factors;
}

std::size_t FactorNames::find(const YamlNode& node, const std::string& name) const {
  std::vector<std::string> names;
  for (std::size_t f = 0; f < factors_.size(); ++f) {
    if (factors_[f].factor.name == name) return f;
    names.push_back(factors_[f].factor.name);
  }
  node.fail(fmt::format("no factor '{}'{}", shortened(name), suggestion(name, names)));
}

std::size_t FactorNames::find_key(const YamlMap::Entry& entry) const {
  return find(YamlNode(YAML::Node(entry.key), "factor", entry.place), entry.key);
}

std::vector<std::size_t> FactorNames::find_all(const YamlNode& node) const {
  if (!node.is_list()) return {find(node)};
  std::vector<std::size_t> found;
  for (const YamlNode& entry : node.as_list("factor")) found.push_back(find(entry));
  return found;
}

int FactorNames::find_level(const YamlMap::Entry& entry) const {
  const auto& names = factors_[find_key(entry)].factor.levels;
  const std::string text = entry.value.as_text();
  const auto level = std::find(names.begin(), names.end(), text);
  if (level == names.end()) {
    entry.value.fail(fmt::format("factor '{}' has no level '{}'{}: there are {}", entry.key,
                                 shortened(text), suggestion(text, names), fmt::join(names, ", ")));
  }
  return static_cast<int>(level - names.begin());
}

void FactorNames::set_level(const YamlNode& node, Levels& levels) const {
  if (node.is_map()) {
    const YamlMap map = node.as_map();
    for (const YamlMap::Entry& entry : map.entries()) levels[find_key(entry)] = find_level(entry);
    return;
  }
  const std::size_t f = find(node);
  const Factor& factor = factors_[f].factor;
  if (!factor.has_one_way_on()) {
    node.fail(fmt::format("factor '{}' has the levels {}; say which, as {{{}: {}}}", factor.name,
                          fmt::join(factor.levels, ", "), factor.name, factor.levels.back()));
  }
  levels[f] = factor.on();
}

}  // namespace msda
