// The parts of an experiment file, each read by a function of its own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "runner/experiment/experiment.hpp"
#include "runner/experiment/settings.hpp"
#include "runner/experiment/yaml_node.hpp"

namespace msda {

/// "auto", "cpu", "cuda:N" or "simt[:SEED[:races]]"; throws UsageError.
std::string parse_device(std::string_view id);
/// Characters of the longest label.
inline constexpr std::size_t kLongestLabel = 200;
/// A label that can stand in "problem/arm/mode" and in a path: no '/', no white space, no control
/// character, not "." or "..". Throws UsageError.
std::string parse_label(const YamlNode& node);

/// A preset's name or a map; relative directories lie beside the file.
ProblemSpec parse_problem(const YamlNode& node, const std::filesystem::path& beside);
ProblemSpec parse_problem_map(const YamlMap& map, const std::filesystem::path& beside);
/// The same of the words of a command line, where whatever is left out has a default but the
/// levels; `unnamed` is its name without one.
ProblemSpec parse_problem_words(const YamlMap& map, const std::string& unnamed);
/// The same, or one for each combination of the values of its `sweep`; their names end in the
/// values, as in "ddetr-encoder-8-fp16".
std::vector<ProblemSpec> parse_problems(const YamlNode& node, const std::filesystem::path& beside);

/// A variant's name, or {name: {parameter: value}}, where `others: default` gives the parameters
/// that are not named the values that the variant declares.
Use parse_use(const YamlNode& node, const Registry& registry);
/// How a level that is this use is called: "corner-pair", or "corner-pair(threads=512)" where
/// parameters are given.
std::string level_name(const Use& use);
/// The value of a variant's parameter `key`, with the type that the variant declares. An error
/// stands at the value, or at the key when there is no such parameter.
ParameterValue parse_parameter(const std::string& key, const SourcePlace& key_place,
                               const YamlNode& node, const VariantInfo& variant);
/// All of a map of them; `others: default` names those that it does not.
std::map<std::string, ParameterValue> parse_parameters(const YamlMap& map,
                                                       const VariantInfo& variant);
/// The entry that names the variant; nullptr without one.
Use* find_use(std::vector<Use>& uses, const std::string& variant);
/// The same variant, or two optimizations for the same slot.
bool fill_one_slot(const Registry& registry, const Use& use, const Use& given);
/// `base` changed by `uses`: a variant that is there already takes the parameters that are named
/// and keeps its others; another one for its slot takes its place; any other joins.
std::vector<Use> overlaid(const Registry& registry, std::vector<Use> base, std::vector<Use> uses);

/// A list of variants, each "name" or {name: {parameter: value}}, that go together. A recipe's name
/// stands for its variants, overlaid with those that the list names itself.
std::vector<Use> parse_uses(const YamlNode& node, const Recipes& recipes, const Registry& registry);
/// Conditions on what threads are counted to do (docs/evidence.md): one, or a list.
std::vector<std::string> parse_evidence(const YamlNode& node);
Shape evidence_shape();
/// Adds the recipes of a map to `recipes`; each may use those before it. One that is wrong carries
/// its error.
void parse_recipes(const YamlNode& node, const Registry& registry, Recipes& recipes);
/// A recipe's name, a variant's name, `best`, or {name: ..., use: [...]}, {name: ..., use: best},
/// {name: ..., external: {...}}.
ArmSpec parse_arm(const YamlNode& node, const Recipes& recipes, const Registry& registry);

/// What an ablation or a space builds on: a list as in `use`, or the name of a recipe or variant.
std::vector<Use> parse_base(const YamlNode& node, const Recipes& recipes, const Registry& registry);

/// What to vary, and the arms that the design comes to.
struct Ablated {
  Design design;
  std::vector<ArmSpec> arms;  ///< one for each point of the design, in its order
};
Ablated parse_ablation(const YamlNode& node, const Recipes& recipes, const Registry& registry);

SpaceSpec parse_space(const YamlNode& node, const Recipes& recipes, const Registry& registry);

MeasureSettings parse_measure(const YamlNode& node);

ProfileSettings parse_profile(const YamlNode& node);
/// What the names of a profiler's metrics are like, as a regular expression.
inline constexpr const char* kMetricPattern = "^[a-z][A-Za-z0-9_]*(\\.[A-Za-z0-9_]+)*$";
/// A text like `pattern`; an error calls it `what`.
std::string parse_like(const YamlNode& node, const std::string& pattern, std::string_view what);

/// Claims about the arms and problems that the experiment has.
std::vector<Claim> parse_claims(const YamlNode& node, const Experiment& experiment);

/// The keys of the maps of an experiment file. What is read, the schema and docs/experiments.md are
/// made from them.
namespace keys {
Keys experiment();
Keys recipe();  ///< those of a file that only gives recipes to others
Keys one_problem();
Keys problem();  ///< or several, by a sweep
Keys type();
Keys references();
Keys arm();
Keys composition();  ///< of a recipe that says what must show
Keys best();         ///< of `use: {best: {...}}`
Keys claim();
Keys ablation();
Keys space();
Keys rule();  ///< of a space
Keys measure();
Keys timeout();
Keys profile();
}  // namespace keys

/// A list of variants, or that and what must show.
nlohmann::json recipe_schema();
/// An arm is made of variants or is a library's.
nlohmann::json arm_schema();
/// A claim has one quantity.
nlohmann::json claims_schema();
nlohmann::json space_schema();

}  // namespace msda
