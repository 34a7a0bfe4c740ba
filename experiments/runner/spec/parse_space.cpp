// The `space` of an experiment file: alternatives with their parameters, and rules.
#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/spec/parse.hpp"

namespace msda {
namespace {

constexpr const char* kNothing = "none";

/// One entry of a factor's list: a variant with the parameters that it fixes and those that it
/// leaves to the search.
struct Alternative {
  std::string name;
  std::optional<Use> use;
  std::vector<std::pair<std::string, std::vector<ParameterValue>>> varied;
};

/// {variant: {parameter: value, parameter: [values]}}
Alternative varied_variant(const YamlNode& node, const Registry& registry) {
  const YamlMap::Entry variant = node.as_map().entries().front();
  YAML::Node fixed(YAML::NodeType::Map);
  for (const auto& parameter : variant.value.yaml()) {
    if (!parameter.second.IsSequence()) fixed.force_insert(parameter.first, parameter.second);
  }
  YAML::Node whole(YAML::NodeType::Map);
  whole.force_insert(node.yaml().begin()->first, fixed);
  const Use use = parse_use(YamlNode(whole, node.name(), node.place()), registry);
  Alternative alternative{level_name(use), use, {}};
  const VariantInfo& info = registry.find(use.variant).variant->info();
  const YamlMap parameters = variant.value.as_map();
  for (const YamlMap::Entry& parameter : parameters.entries()) {
    if (!parameter.value.is_list()) continue;
    std::vector<ParameterValue> values;
    for (const YamlNode& entry : parameter.value.as_list("value")) {
      values.push_back(parse_parameter(parameter.key, parameter.place, entry, info));
      if (std::find(values.begin(), values.end() - 1, values.back()) != values.end() - 1) {
        entry.fail(fmt::format("value {} stands here a second time", to_string(values.back())));
      }
    }
    alternative.varied.emplace_back(parameter.key, std::move(values));
  }
  return alternative;
}

Alternative parse_alternative(const YamlNode& node, const Registry& registry) {
  if (!node.is_map() && node.as_text() == kNothing) return {kNothing, std::nullopt, {}};
  if (node.is_map()) {
    const YamlMap map = node.as_map();
    if (map.entries().size() == 1 && map.entries().front().value.is_map()) {
      return varied_variant(node, registry);
    }
  }
  const Use use = parse_use(node, registry);
  return {level_name(use), use, {}};
}

/// A list; a single entry without one; nothing at all for the variant of that name, on or off.
std::vector<Alternative> parse_alternatives(const YamlMap::Entry& entry, const Registry& registry) {
  if (entry.value.is_null()) {
    const YamlNode key(YAML::Node(entry.key), "variant", entry.place);
    return {{kNothing, std::nullopt, {}}, parse_alternative(key, registry)};
  }
  if (!entry.value.is_list()) return {parse_alternative(entry.value, registry)};
  std::vector<Alternative> alternatives;
  for (const YamlNode& node : entry.value.as_list("alternative")) {
    alternatives.push_back(parse_alternative(node, registry));
    const auto same = std::find_if(
        alternatives.begin(), alternatives.end(),
        [&](const Alternative& other) { return other.name == alternatives.back().name; });
    if (same + 1 != alternatives.end()) {
      node.fail(fmt::format("alternative '{}' stands here a second time", same->name));
    }
  }
  return alternatives;
}

/// Collects factors, what their levels stand for, and then makes the space of them.
class SpaceBuilder {
 public:
  void add(const std::string& name, const std::vector<Alternative>& alternatives) {
    const std::size_t parent = factors_.size();
    SpaceFactor& factor = factors_.emplace_back();
    factor.name = name;
    SpaceChoice& choice = choices_.emplace_back();
    for (const Alternative& alternative : alternatives) {
      factor.levels.push_back(alternative.name);
      choice.alternatives.push_back(alternative.use);
    }
    for (const std::string& parameter : parameters_of(alternatives)) {
      add_parameter(parent, parameter, alternatives);
    }
  }

  const std::vector<SpaceFactor>& factors() const { return factors_; }
  const std::vector<SpaceChoice>& choices() const { return choices_; }

 private:
  static std::vector<std::string> parameters_of(const std::vector<Alternative>& alternatives) {
    std::vector<std::string> names;
    for (const Alternative& alternative : alternatives) {
      for (const auto& [name, values] : alternative.varied) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
    return names;
  }

  static const std::vector<ParameterValue>* values_of(const Alternative& alternative,
                                                      const std::string& parameter) {
    for (const auto& [name, values] : alternative.varied) {
      if (name == parameter) return &values;
    }
    return nullptr;
  }

  /// Alternatives that vary a parameter of one name share its factor: its levels are all their
  /// values in ascending order, of which each alternative allows its own.
  void add_parameter(std::size_t parent, const std::string& parameter,
                     const std::vector<Alternative>& alternatives) {
    SpaceFactor factor{factors_[parent].name + "." + parameter, {}, parent, {}};
    SpaceChoice choice{{}, parameter, {}};
    for (const Alternative& alternative : alternatives) {
      const auto* values = values_of(alternative, parameter);
      if (values != nullptr) {
        choice.values.insert(choice.values.end(), values->begin(), values->end());
      }
    }
    std::sort(choice.values.begin(), choice.values.end());
    choice.values.erase(std::unique(choice.values.begin(), choice.values.end()),
                        choice.values.end());
    for (const ParameterValue& value : choice.values) factor.levels.push_back(to_string(value));
    for (const Alternative& alternative : alternatives) {
      std::vector<int>& allowed = factor.allowed.emplace_back();
      const auto* values = values_of(alternative, parameter);
      for (std::size_t v = 0; values != nullptr && v < choice.values.size(); ++v) {
        const bool has =
            std::find(values->begin(), values->end(), choice.values[v]) != values->end();
        if (has) allowed.push_back(static_cast<int>(v));
      }
    }
    factors_.push_back(std::move(factor));
    choices_.push_back(std::move(choice));
  }

  std::vector<SpaceFactor> factors_;
  std::vector<SpaceChoice> choices_;
};

/// {factor: level}, {factor: [levels]}
SpacePattern parse_pattern(const YamlNode& node, const std::vector<SpaceFactor>& factors) {
  SpacePattern pattern;
  const YamlMap map = node.as_map();
  if (map.entries().empty()) node.fail("a rule needs at least one factor");
  for (const YamlMap::Entry& entry : map.entries()) {
    std::vector<std::string> names;
    for (const SpaceFactor& factor : factors) names.push_back(factor.name);
    const auto factor = std::find(names.begin(), names.end(), entry.key);
    if (factor == names.end()) {
      throw UsageError(fmt::format("{}: no factor '{}'{}; there are: {}", to_string(entry.place),
                                   entry.key, suggestion(entry.key, names),
                                   fmt::join(names, ", ")));
    }
    const auto index = static_cast<std::size_t>(factor - names.begin());
    const std::vector<std::string>& levels = factors[index].levels;
    auto& [place, wanted] = pattern.emplace_back(index, std::vector<int>());
    const auto nodes =
        entry.value.is_list() ? entry.value.as_list("level") : std::vector<YamlNode>{entry.value};
    for (const YamlNode& level : nodes) {
      const std::string text = level.as_text();
      const auto found = std::find(levels.begin(), levels.end(), text);
      if (found == levels.end()) {
        level.fail(fmt::format("factor '{}' has no level '{}'{}: there are {}", entry.key, text,
                               suggestion(text, levels), fmt::join(levels, ", ")));
      }
      wanted.push_back(static_cast<int>(found - levels.begin()));
    }
  }
  return pattern;
}

/// "mapping.threads=768|1024 unroll=none"
std::string pattern_text(const SpacePattern& pattern, const std::vector<SpaceFactor>& factors) {
  std::string text;
  for (const auto& [factor, levels] : pattern) {
    std::vector<std::string> names;
    for (const int level : levels) {
      names.push_back(factors[factor].levels[static_cast<std::size_t>(level)]);
    }
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", factors[factor].name,
                        fmt::join(names, "|"));
  }
  return text;
}

std::vector<SpaceRule> parse_rules(const YamlMap& map, const std::vector<SpaceFactor>& factors) {
  std::vector<SpaceRule> rules;
  if (const auto node = map.find("requires")) {
    for (const YamlNode& entry : node->as_list("rule")) {
      const YamlMap rule = entry.as_map();
      rule.allow_only({"when", "then"});
      rules.push_back({parse_pattern(rule.require("when"), factors),
                       parse_pattern(rule.require("then"), factors), ""});
      rules.back().text = fmt::format("{} requires {}", pattern_text(rules.back().when, factors),
                                      pattern_text(rules.back().then, factors));
    }
  }
  if (const auto node = map.find("excludes")) {
    for (const YamlNode& entry : node->as_list("rule")) {
      rules.push_back({parse_pattern(entry, factors), {}, ""});
      rules.back().text = "excluded: " + pattern_text(rules.back().when, factors);
    }
  }
  return rules;
}

}  // namespace

SpaceSpec parse_space(const YamlNode& node, const Recipes& recipes, const Registry& registry) {
  const YamlMap map = node.as_map();
  map.allow_only(
      {"base", "factors", "requires", "excludes", "error", "budget", "enumerate", "finalists"});
  SpaceSpec spec;
  if (const auto base = map.find("base")) spec.base = parse_base(*base, recipes, registry);
  const YamlNode factors = map.require("factors");
  const YamlMap entries = factors.as_map();
  if (entries.entries().empty()) factors.fail("key 'factors' is empty; give at least one factor");
  SpaceBuilder builder;
  for (const YamlMap::Entry& entry : entries.entries()) {
    const YamlNode key(YAML::Node(entry.key), "factor name", entry.place);
    builder.add(parse_label(key), parse_alternatives(entry, registry));
  }
  spec.choices = builder.choices();
  spec.space = factors.locate(
      [&] { return SearchSpace(builder.factors(), parse_rules(map, builder.factors())); });
  if (const auto value = map.find("error")) spec.error = value->as_number(1e-12, 1);
  if (const auto value = map.find("budget")) spec.budget = value->as_duration();
  if (const auto value = map.find("enumerate")) {
    spec.enumerate = static_cast<std::uint64_t>(value->as_integer(1, 100'000));
  }
  if (const auto value = map.find("finalists")) {
    spec.finalists = static_cast<int>(value->as_integer(1, 20));
  }
  return spec;
}

}  // namespace msda
