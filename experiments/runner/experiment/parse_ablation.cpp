// The `ablation` of an experiment file: base, factors, constraints and the design.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/experiment/parse.hpp"
#include "runner/experiment/parse_factors.hpp"
#include "runner/experiment/settings.hpp"

namespace msda {
namespace {

/// An ablation while its map is read, and what it may name.
struct AblationReader {
  const Recipes& recipes;
  const Registry& registry;
  std::vector<Use> base;
  std::vector<FactorSpec> factors;
  FactorConstraints constraints;
  DesignRequest request;

  FactorNames names() const { return FactorNames(factors); }
};

void read_base(const YamlNode& node, AblationReader& reader) {
  reader.base = parse_base(node, reader.recipes, reader.registry);
}

void read_factors(const YamlNode& node, AblationReader& reader) {
  reader.factors = parse_factors(node, reader.base, reader.registry);
}

/// {factor: level}: which level counts as on.
void read_all(const YamlNode& node, AblationReader& reader) {
  const FactorNames names = reader.names();
  const YamlMap map = node.as_map();
  for (const YamlMap::Entry& entry : map.entries()) {
    const int level = names.find_level(entry);
    if (level == 0) {
      entry.value.fail(
          fmt::format("'{}' is what the base has; a factor that is on has another level",
                      entry.value.as_text()));
    }
    reader.factors[names.find_key(entry)].factor.stated_on = level;
  }
}

void read_requires(const YamlNode& node, AblationReader& reader) {
  const FactorNames names = reader.names();
  const YamlMap map = node.as_map();
  for (const YamlMap::Entry& entry : map.entries()) {
    const std::size_t factor = names.find_key(entry);
    for (const std::size_t required : names.find_all(entry.value)) {
      if (required == factor) entry.value.fail("a factor cannot require itself");
      reader.constraints.requirements.emplace_back(factor, required);
    }
  }
}

void read_excludes(const YamlNode& node, AblationReader& reader) {
  const FactorNames names = reader.names();
  for (const YamlNode& entry : node.as_list("set of factors")) {
    const auto& set = reader.constraints.exclusions.emplace_back(names.find_all(entry));
    if (std::set(set.begin(), set.end()).size() < 2) {
      entry.fail("an exclusion is a list of at least two different factors");
    }
  }
}

void read_design(const YamlNode& node, AblationReader& reader) {
  const Form<DesignKind> kind = form::name<DesignKind>();
  std::vector<DesignKind>& kinds = reader.request.kinds;
  if (!node.is_list()) return kind.read(node, kinds.emplace_back());
  for (const YamlNode& entry : node.as_list("design")) kind.read(entry, kinds.emplace_back());
}

void read_generators(const YamlNode& node, AblationReader& reader) {
  const FactorNames names = reader.names();
  auto& generators = reader.request.generators;
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
  reader.request.resolution = 3;
}

void read_list(const YamlNode& node, AblationReader& reader) {
  const FactorNames names = reader.names();
  for (const YamlNode& entry : node.as_list("combination")) {
    Levels& levels = reader.request.list.emplace_back(reader.factors.size(), 0);
    for (const YamlNode& item : entry.as_list_or_empty("factor")) names.set_level(item, levels);
  }
}

/// A key that only these designs read: elsewhere it is a mistake.
Setting<AblationReader> setting_of(std::initializer_list<DesignKind> kinds,
                                   Setting<AblationReader> setting) {
  setting.read = [kinds = std::vector(kinds), name = setting.key.name, read = setting.read](
                     const YamlNode& node, AblationReader& reader) {
    const auto& asked = reader.request.kinds;
    if (std::find_first_of(asked.begin(), asked.end(), kinds.begin(), kinds.end()) == asked.end()) {
      node.fail(fmt::format("'{}' belongs to the design '{}'", name, name_of(kinds.front())));
    }
    read(node, reader);
  };
  return setting;
}

Shape map_of(std::string words) { return {std::move(words), {{"type", "object"}}}; }

/// Levels of a factor, see FactorReader.
Shape factors_shape() {
  const nlohmann::json levels = form::reference("levels");
  return {"`{name: levels}`",
          {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", levels}}};
}

/// What the designs read, besides the factors.
std::vector<Setting<AblationReader>> design_settings() {
  using R = AblationReader;
  using Kind = DesignKind;
  const Form<DesignKind> kind = form::name<DesignKind>();
  const Form<int> resolution = form::integer<int>(3, 12);
  const Form<std::size_t> random = form::integer<std::size_t>(1, 1000);
  const Form<std::uint64_t> seed = form::integer<std::uint64_t>(0);
  const Shape list = {"lists of factors or `{factor: level}`",
                      {{"type", "array"}, {"minItems", 1}, {"items", {{"type", "array"}}}}};
  return {setting<R>("design",
                     form::any_of("one or several of " + kind.words,
                                  {kind.schema, form::list_of("", kind.schema).schema}),
                     "which combinations become arms; ladders go in the order of the factors",
                     read_design)
              .required(),
          setting_of({Kind::kFractional},
                     setting<R>("generators", map_of("`{factor: [factors]}`"),
                                "to choose the fraction; two-level factors", read_generators)
                         .otherwise("the smallest")),
          setting_of({Kind::kFractional},
                     setting<R>("resolution", resolution, "least resolution of the fraction",
                                [=](const YamlNode& node, R& reader) {
                                  resolution.read(node, reader.request.resolution);
                                })
                         .otherwise("5; 3 with `generators`")),
          setting_of({Kind::kFull, Kind::kLadder},
                     setting<R>("random", random,
                                "`full`: so many combinations besides the ends; `ladder`: so many "
                                "random orders more",
                                [=](const YamlNode& node, R& reader) {
                                  random.read(node, reader.request.random.emplace());
                                })),
          setting_of({Kind::kFull, Kind::kLadder}, setting<R>("seed", seed, "of `random`",
                                                              [=](const YamlNode& node, R& reader) {
                                                                seed.read(node,
                                                                          reader.request.seed);
                                                              })
                                                       .otherwise("1")),
          setting_of({Kind::kList},
                     setting<R>("list", list, "the combinations of the design `list`", read_list))};
}

std::vector<Setting<AblationReader>> ablation_setting_list() {
  using R = AblationReader;
  const Shape base = form::any_of("an arm's name, or a list as in `use`",
                                  {form::label().schema, form::reference("uses")});
  std::vector<Setting<R>> all = {
      setting<R>("base", base, "what the factors change; the baseline", read_base).required(),
      setting<R>("factors", factors_shape(), "what is varied", read_factors).required(),
      setting<R>("all", map_of("`{factor: level}`"),
                 "the level that a factor has where all are on: in `all`, ladders and "
                 "leave-one-out",
                 read_all)
          .otherwise("of two levels the other; else needed, but in `add-one` and `list`"),
      setting<R>("requires", map_of("`{factor: factors}`"), "what a factor cannot do without",
                 read_requires),
      setting<R>("excludes",
                 {"lists of factors", {{"type", "array"}, {"items", {{"type", "array"}}}}},
                 "at most one factor of each list is on", read_excludes)};
  for (Setting<R>& one : design_settings()) all.push_back(std::move(one));
  return all;
}

const Settings<AblationReader>& ablation_settings() {
  static const Settings<AblationReader> settings(ablation_setting_list());
  return settings;
}

bool asks_for(const DesignRequest& request, DesignKind kind) {
  return std::find(request.kinds.begin(), request.kinds.end(), kind) != request.kinds.end();
}

}  // namespace

Keys keys::ablation() { return ablation_settings().keys(); }

Ablated parse_ablation(const YamlNode& node, const Recipes& recipes, const Registry& registry) {
  const YamlMap map = node.as_map();
  AblationReader reader{recipes, registry, {}, {}, {}, {}};
  ablation_settings().read(map, reader);
  if (asks_for(reader.request, DesignKind::kList)) map.require("list");
  Ablated ablated;
  ablated.design = map.require("design").locate([&] {
    return make_design(registry, reader.base, reader.factors, reader.constraints, reader.request);
  });
  for (const DesignPoint& point : ablated.design.points) {
    ablated.arms.push_back({point.arm, combine(registry, reader.base, reader.factors, point.levels),
                            to_string(node.place())});
  }
  return ablated;
}

}  // namespace msda
