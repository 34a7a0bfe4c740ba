// A problem for each combination of the values of `sweep`.
#include <algorithm>

#include <fmt/format.h>

#include "runner/experiment/parse.hpp"
#include "runner/experiment/settings.hpp"

namespace msda {
namespace {

constexpr const char* kSweep = "sweep";
/// More problems than an experiment runs are a mistake in a list.
constexpr std::size_t kMostSwept = 1000;

/// A key with the values that it takes in turn.
struct Swept {
  YamlMap::Entry key;
  std::vector<YamlNode> values;
};

/// `levels` is no word that a name could end in, and a name in common would be that of all.
Keys swept_keys() {
  Keys keys = keys::one_problem();
  std::erase_if(keys, [](const Key& key) { return key.name == "levels" || key.name == "name"; });
  return keys;
}

Key sweep_key() {
  nlohmann::json properties = nlohmann::json::object();
  for (const Key& key : swept_keys()) properties[key.name] = form::list_of("", key.schema).schema;
  return {.name = kSweep,
          .words = "`{key: [values]}` of the keys above but `name` and `levels`",
          .meaning = "a problem for [each combination](#sweeps) of the values",
          .standard = "",
          .schema = {{"type", "object"},
                     {"properties", std::move(properties)},
                     {"additionalProperties", false},
                     {"minProperties", 1}}};
}

/// True of keys that name the problem themselves.
bool names_problem(const std::string& key) {
  return key == "preset" || key == "input" || key == "dir";
}

/// Throws at a value that is there already, in whatever way it is written.
void refuse_equal_values(const YamlMap::Entry& key, const std::vector<YamlNode>& values) {
  UniqueNames seen("value of " + key.key);
  for (const YamlNode& value : values) {
    seen.add(names_problem(key.key) ? value.as_text() : value.as_canonical_text(), value.place());
  }
}

std::vector<Swept> parse_sweep(const YamlNode& node, const YamlMap& problem) {
  const YamlMap sweep = node.as_map();
  sweep.allow_only(names_of(swept_keys()));
  if (sweep.entries().empty()) node.fail("'sweep' names no key");
  std::vector<Swept> all;
  std::size_t count = 1;
  for (const YamlMap::Entry& entry : sweep.entries()) {
    if (problem.find(entry.key)) {
      throw UsageError(fmt::format("{}: key '{}' stands beside 'sweep' too; which is meant?",
                                   to_string(entry.place), entry.key));
    }
    all.push_back({entry, entry.value.as_list(entry.key)});
    refuse_equal_values(entry, all.back().values);
    count *= all.back().values.size();
    if (count > kMostSwept) node.fail(fmt::format("this makes more than {} problems", kMostSwept));
  }
  return all;
}

/// What a value adds to the name of its problem.
std::string label_of(const YamlNode& value) {
  return parse_label(YamlNode(YAML::Node(value.as_canonical_text()), value.name(), value.place()));
}

/// Calls `action` with the map that each combination of values comes to, and with what it adds to
/// the name: "-8-fp16". The last key changes fastest.
template <class Action>
void for_each_combination(const YamlMap& problem, const std::vector<Swept>& swept,
                          const Action& action) {
  std::vector<std::size_t> at(swept.size(), 0);
  for (;;) {
    std::vector<YamlMap::Entry> entries;
    for (const YamlMap::Entry& entry : problem.entries()) {
      if (entry.key != kSweep) entries.push_back(entry);
    }
    std::string suffix;
    for (std::size_t i = 0; i < swept.size(); ++i) {
      const YamlNode& value = swept[i].values[at[i]];
      entries.push_back({swept[i].key.key, swept[i].key.place, value});
      if (!names_problem(swept[i].key.key)) suffix += "-" + label_of(value);
    }
    action(YamlMap(problem.owner(), std::move(entries)), suffix);
    std::size_t turning = swept.size();
    while (turning > 0 && ++at[turning - 1] == swept[turning - 1].values.size()) at[--turning] = 0;
    if (turning == 0) return;
  }
}

}  // namespace

Keys keys::problem() { return joined(keys::one_problem(), {sweep_key()}); }

std::vector<ProblemSpec> parse_problems(const YamlNode& node, const std::filesystem::path& beside) {
  if (node.is_scalar()) return {parse_problem(node, beside)};
  const YamlMap map = node.as_map();
  map.allow_only(names_of(keys::problem()));
  const auto sweep = map.find(kSweep);
  if (!sweep) return {parse_problem_map(map, beside)};
  std::vector<ProblemSpec> problems;
  for_each_combination(map, parse_sweep(*sweep, map),
                       [&](const YamlMap& one, const std::string& suffix) {
                         problems.push_back(parse_problem_map(one, beside));
                         problems.back().problem.name += suffix;
                       });
  return problems;
}

}  // namespace msda
