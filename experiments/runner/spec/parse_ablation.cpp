// The `ablation` of an experiment file: factors, constraints and the design.
#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "runner/spec/ablation_points.hpp"
#include "runner/spec/parse.hpp"

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

/// Finds factors by their names.
class FactorNames {
 public:
  explicit FactorNames(const std::vector<FactorSpec>& factors) : factors_(factors) {}

  std::size_t find(const YamlNode& node, const std::string& name) const {
    std::vector<std::string> names;
    for (std::size_t f = 0; f < factors_.size(); ++f) {
      if (factors_[f].factor.name == name) return f;
      names.push_back(factors_[f].factor.name);
    }
    node.fail(fmt::format("no factor '{}'{}", name, suggestion(name, names)));
  }

  std::size_t find(const YamlNode& node) const { return find(node, node.as_text()); }
  std::size_t find_key(const YamlMap::Entry& entry) const {
    return find(YamlNode(YAML::Node(entry.key), "factor", entry.place), entry.key);
  }

  /// One factor or a list of them.
  std::vector<std::size_t> find_all(const YamlNode& node) const {
    if (!node.is_list()) return {find(node)};
    std::vector<std::size_t> found;
    for (const YamlNode& entry : node.as_list("factor")) found.push_back(find(entry));
    return found;
  }

  /// A factor's name for the level that counts as on, or {factor: level}.
  void set_level(const YamlNode& node, Levels& levels) const {
    if (!node.is_map()) {
      const Factor& factor = factors_[find(node)].factor;
      if (!factor.has_one_way_on()) {
        node.fail(fmt::format("factor '{}' has the levels {}; say which, as {{{}: {}}}",
                              factor.name, fmt::join(factor.levels, ", "), factor.name,
                              factor.levels.back()));
      }
      levels[find(node)] = factor.on();
      return;
    }
    const YamlMap map = node.as_map();
    for (const YamlMap::Entry& entry : map.entries()) levels[find_key(entry)] = find_level(entry);
  }

  /// The level in {factor: level}.
  int find_level(const YamlMap::Entry& entry) const {
    const auto& names = factors_[find_key(entry)].factor.levels;
    const std::string text = entry.value.as_text();
    const auto level = std::find(names.begin(), names.end(), text);
    if (level == names.end()) {
      entry.value.fail(fmt::format("factor '{}' has no level '{}'{}: there are {}", entry.key, text,
                                   suggestion(text, names), fmt::join(names, ", ")));
    }
    return static_cast<int>(level - names.begin());
  }

 private:
  const std::vector<FactorSpec>& factors_;
};

FactorConstraints parse_constraints(const YamlMap& map, const FactorNames& names) {
  FactorConstraints constraints;
  if (const auto node = map.find("requires")) {
    const YamlMap requirements = node->as_map();
    for (const YamlMap::Entry& entry : requirements.entries()) {
      const std::size_t factor = names.find_key(entry);
      for (const std::size_t required : names.find_all(entry.value)) {
        if (required == factor) entry.value.fail("a factor cannot require itself");
        constraints.requirements.emplace_back(factor, required);
      }
    }
  }
  if (const auto node = map.find("excludes")) {
    for (const YamlNode& entry : node->as_list("set of factors")) {
      constraints.exclusions.push_back(names.find_all(entry));
      const auto& set = constraints.exclusions.back();
      if (std::set(set.begin(), set.end()).size() < 2) {
        entry.fail("an exclusion is a list of at least two different factors");
      }
    }
  }
  return constraints;
}

/// `all: {factor: level}`: which level counts as on.
void parse_all(const YamlNode& node, std::vector<FactorSpec>& factors) {
  const FactorNames names(factors);
  const YamlMap map = node.as_map();
  for (const YamlMap::Entry& entry : map.entries()) {
    const int level = names.find_level(entry);
    if (level == 0) {
      entry.value.fail(
          fmt::format("'{}' is what the base has; a factor that is on has another level",
                      entry.value.as_text()));
    }
    factors[names.find_key(entry)].factor.stated_on = level;
  }
}

std::map<std::size_t, std::vector<std::size_t>> parse_generators(const YamlNode& node,
                                                                 const FactorNames& names) {
  std::map<std::size_t, std::vector<std::size_t>> generators;
  const YamlMap map = node.as_map();
  for (const YamlMap::Entry& entry : map.entries()) {
    generators[names.find_key(entry)] = names.find_all(entry.value);
  }
  for (const YamlMap::Entry& entry : map.entries()) {
    for (const std::size_t parent : names.find_all(entry.value)) {
      if (generators.contains(parent)) {
        entry.value.fail("a generated factor cannot generate another one");
      }
    }
  }
  return generators;
}

std::vector<DesignKind> parse_kinds(const YamlNode& node) {
  const auto kind_of = [](const YamlNode& entry) {
    return entry.locate([&] { return parse_design_kind(entry.as_text()); });
  };
  if (!node.is_list()) return {kind_of(node)};
  std::vector<DesignKind> kinds;
  for (const YamlNode& entry : node.as_list("design")) kinds.push_back(kind_of(entry));
  return kinds;
}

/// A key that only one design reads is a mistake elsewhere.
void check_belongs(const YamlMap& map, const std::vector<DesignKind>& kinds) {
  using Kinds = std::vector<DesignKind>;
  const std::map<std::string, Kinds> readers = {
      {"resolution", {DesignKind::kFractional}},
      {"generators", {DesignKind::kFractional}},
      {"list", {DesignKind::kList}},
      {"random", {DesignKind::kFull, DesignKind::kLadder}},
      {"seed", {DesignKind::kFull, DesignKind::kLadder}}};
  for (const YamlMap::Entry& entry : map.entries()) {
    const auto reader = readers.find(entry.key);
    if (reader == readers.end()) continue;
    const Kinds& allowed = reader->second;
    const bool read = std::find_first_of(kinds.begin(), kinds.end(), allowed.begin(),
                                         allowed.end()) != kinds.end();
    if (!read) {
      throw UsageError(fmt::format("{}: '{}' belongs to the design '{}'", to_string(entry.place),
                                   entry.key, name_of(allowed.front())));
    }
  }
}

DesignRequest parse_request(const YamlMap& map, const FactorNames& names, std::size_t factors) {
  DesignRequest request;
  const YamlNode design = map.require("design");
  request.kinds = parse_kinds(design);
  check_belongs(map, request.kinds);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (const auto node = map.find("generators")) {
    request.generators = parse_generators(*node, names);
    request.resolution = 3;
  }
  if (const auto node = map.find("resolution")) {
    request.resolution = static_cast<int>(node->as_integer(3, 12));
  }
  if (const auto node = map.find("random")) {
    request.random = static_cast<std::size_t>(node->as_integer(1, 1000));
  }
  if (const auto node = map.find("seed")) {
    request.seed = static_cast<std::uint64_t>(node->as_integer(0, kMost));
  }
  if (std::find(request.kinds.begin(), request.kinds.end(), DesignKind::kList) !=
      request.kinds.end()) {
    for (const YamlNode& entry : map.require("list").as_list("combination")) {
      Levels& levels = request.list.emplace_back(factors, 0);
      for (const YamlNode& item : entry.as_list_or_empty("factor")) names.set_level(item, levels);
    }
  }
  return request;
}

}  // namespace

Ablated parse_ablation(const YamlNode& node, const Recipes& recipes, const Registry& registry) {
  const YamlMap map = node.as_map();
  map.allow_only({"base", "factors", "all", "requires", "excludes", "design", "resolution",
                  "generators", "random", "seed", "list"});
  const std::vector<Use> base = parse_base(map.require("base"), recipes, registry);
  const FactorReader reader(base, registry);
  std::vector<FactorSpec> factors;
  const YamlNode factors_node = map.require("factors");
  const YamlMap factors_map = factors_node.as_map();
  for (const auto& entry : factors_map.entries()) factors.push_back(reader.read(entry));
  if (factors.empty()) factors_node.fail("key 'factors' is empty; give at least one factor");
  if (const auto all = map.find("all")) parse_all(*all, factors);
  const FactorNames names(factors);
  const FactorConstraints constraints = parse_constraints(map, names);
  const DesignRequest request = parse_request(map, names, factors.size());
  Ablated ablated;
  ablated.design = map.require("design").locate(
      [&] { return make_design(registry, base, factors, constraints, request); });
  for (const DesignPoint& point : ablated.design.points) {
    ablated.arms.push_back(
        {point.arm, combine(registry, base, factors, point.levels), to_string(node.place())});
  }
  return ablated;
}

}  // namespace msda
