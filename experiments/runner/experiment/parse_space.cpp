// The `space` of an experiment file: alternatives with their parameters, and rules.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/experiment/parse.hpp"
#include "runner/experiment/settings.hpp"

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
    names.reserve(factors.size());
    for (const SpaceFactor& factor : factors) names.push_back(factor.name);
    const auto factor = std::find(names.begin(), names.end(), entry.key);
    if (factor == names.end()) {
      throw UsageError(fmt::format("{}: no factor '{}'{}; there are: {}", to_string(entry.place),
                                   entry.key, suggestion(entry.key, names),
                                   fmt::join(names, ", ")));
    }
    const auto index = static_cast<std::size_t>(factor - names.begin());
    const std::vector<std::string>& levels = factors[index].levels;
    std::vector<int>& wanted = pattern.emplace_back(FactorLevels{index, {}}).levels;
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
    names.reserve(levels.size());
    for (const int level : levels) {
      names.push_back(factors[factor].levels[static_cast<std::size_t>(level)]);
    }
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", factors[factor].name,
                        fmt::join(names, "|"));
  }
  return text;
}

/// A space while its map is read, and what it may name.
struct SpaceReader {
  const Recipes& recipes;
  const Registry& registry;
  std::vector<Use> base;
  SpaceBuilder builder;
  std::vector<SpaceRule> rules;
};

/// A rule while its map is read.
struct RuleReader {
  const std::vector<SpaceFactor>& factors;
  SpaceRule rule;
};

void read_choices(const YamlNode& node, SpaceReader& reader) {
  const YamlMap map = node.as_map();
  if (map.entries().empty()) node.fail("key 'factors' is empty; give at least one factor");
  for (const YamlMap::Entry& entry : map.entries()) {
    const YamlNode key(YAML::Node(entry.key), "factor name", entry.place);
    reader.builder.add(parse_label(key), parse_alternatives(entry, reader.registry));
  }
}

/// The key, a pattern, for a member of the rule.
Setting<RuleReader> pattern_setting(const char* key, SpacePattern SpaceRule::*member,
                                    const char* meaning) {
  const Shape pattern = {"`{factor: levels}`", {{"type", "object"}, {"minProperties", 1}}};
  return setting<RuleReader>(key, pattern, meaning,
                             [member](const YamlNode& node, RuleReader& reader) {
                               reader.rule.*member = parse_pattern(node, reader.factors);
                             })
      .required();
}

const Settings<RuleReader>& rule_settings() {
  static const Settings<RuleReader> settings{
      pattern_setting("when", &SpaceRule::when, "the points that the rule is for"),
      pattern_setting("then", &SpaceRule::then, "what they must match as well")};
  return settings;
}

void read_rules(const YamlNode& node, SpaceReader& reader) {
  const std::vector<SpaceFactor>& factors = reader.builder.factors();
  for (const YamlNode& entry : node.as_list("rule")) {
    RuleReader of_rule{factors, {}};
    rule_settings().read(entry.as_map(), of_rule);
    SpaceRule& rule = reader.rules.emplace_back(std::move(of_rule.rule));
    rule.text = fmt::format("{} requires {}", pattern_text(rule.when, factors),
                            pattern_text(rule.then, factors));
  }
}

void read_exclusions(const YamlNode& node, SpaceReader& reader) {
  const std::vector<SpaceFactor>& factors = reader.builder.factors();
  for (const YamlNode& entry : node.as_list("rule")) {
    SpaceRule& rule = reader.rules.emplace_back();
    rule.when = parse_pattern(entry, factors);
    rule.text = "excluded: " + pattern_text(rule.when, factors);
  }
}

/// What the space is; rules name factors and stand behind them.
const Settings<SpaceReader>& space_settings() {
  using R = SpaceReader;
  const Shape base = form::any_of("a recipe's name, or a list as in `use`",
                                  {form::label().schema, form::reference("uses")});
  const Shape factors = {"`{name: alternatives}`",
                         {{"type", "object"},
                          {"minProperties", 1},
                          {"additionalProperties", form::reference("alternatives")}}};
  const nlohmann::json pattern = {{"type", "object"}, {"minProperties", 1}};
  static const Settings<R> settings{
      setting<R>("base", base, "what every composition has",
                 [](const YamlNode& node, R& reader) {
                   reader.base = parse_base(node, reader.recipes, reader.registry);
                 })
          .otherwise("the direct skeleton"),
      setting<R>("factors", factors, "what is chosen", read_choices).required(),
      setting<R>("requires",
                 form::list_of("a list of `{when: pattern, then: pattern}`",
                               object_schema(rule_settings().keys())),
                 "rules: points that match `when` must match `then`", read_rules),
      setting<R>("excludes", form::list_of("a list of patterns", pattern),
                 "rules: points that match are left out", read_exclusions)};
  return settings;
}

/// How long to look, and for what.
const Settings<SpaceSpec>& search_settings() {
  using S = SpaceSpec;
  static const Settings<S> settings{
      setting("error", &S::error, form::number(1e-12, 1),
              "largest relative L2 error of a composition that is wanted")
          .otherwise("what [verification](measurement.md) allows the storage types: 1e-3 for fp16, "
                     "1e-5 for fp32, 8e-3 for bf16"),
      setting("budget", &S::budget, form::duration(),
              "wall-clock time for one problem in one mode, the confirmation included"),
      setting("enumerate", &S::enumerate, form::integer<std::uint64_t>(1, 100'000),
              "a space of no more points is measured whole"),
      setting("finalists", &S::finalists, form::integer<int>(1, 20),
              "candidates that are confirmed"),
      setting("together", &S::together, form::truth(),
              "one winner for all problems of a family, by the geometric mean of its times; see "
              "[A winner for a family](#a-winner-for-a-family)"),
      setting("worst", &S::worst, form::number(0, 1),
              "with `together`: how much slower than the fastest arm a winner may be on any one "
              "problem")};
  return settings;
}

/// A mistake in the file: no problem and no device could leave a point. Of a space that is too
/// large to look at, the search itself says so.
void check_rules_leave_a_point(const SearchSpace& space, const YamlMap& map) {
  if (space.rules().empty() || space.size() > kMostCounted) return;
  std::vector<std::uint64_t> removed(space.rules().size());
  for (std::uint64_t number = 0; number < space.size(); ++number) {
    const auto broken = space.broken_rule(space.at(number));
    if (!broken) return;
    ++removed[*broken];
  }
  std::vector<std::string> parts;
  for (std::size_t r = 0; r < removed.size(); ++r) {
    if (removed[r] > 0)
      parts.push_back(fmt::format("{} by '{}'", removed[r], space.rules()[r].text));
  }
  const auto excludes = map.find("excludes");
  (excludes ? *excludes : map.require("requires"))
      .fail(fmt::format("the rules leave no point of the space: of {} are removed {}; take a rule "
                        "away, or give more alternatives",
                        space.size(), fmt::join(parts, ", ")));
}

}  // namespace

Keys keys::space() { return joined(space_settings().keys(), search_settings().keys()); }
nlohmann::json space_schema() {
  nlohmann::json schema = object_schema(keys::space());
  schema["dependencies"]["worst"] = {{"required", {"together"}},
                                     {"properties", {{"together", {{"const", true}}}}}};
  return schema;
}
Keys keys::rule() { return rule_settings().keys(); }

SpaceSpec parse_space(const YamlNode& node, const Recipes& recipes, const Registry& registry) {
  const YamlMap map = node.as_map();
  map.allow_only(names_of(keys::space()));
  SpaceReader reader{recipes, registry, {}, {}, {}};
  space_settings().read_known(map, reader);
  SpaceSpec spec;
  search_settings().read_known(map, spec);
  if (const auto worst = map.find("worst"); worst && !spec.together) {
    worst->fail(
        "key 'worst' is for a search with 'together: true': add that, or take 'worst' away");
  }
  spec.base = std::move(reader.base);
  spec.choices = reader.builder.choices();
  spec.space = map.require("factors").locate(
      [&] { return SearchSpace(reader.builder.factors(), std::move(reader.rules)); });
  check_rules_leave_a_point(spec.space, map);
  return spec;
}

}  // namespace msda
