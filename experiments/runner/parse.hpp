// The parts of an experiment file, each read by a function of its own.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runner/experiment.hpp"
#include "runner/yaml_node.hpp"

namespace msda {

/// "fp32", "fp16", "bf16"; throws UsageError with the nearest name.
DType parse_dtype(std::string_view name);
/// "plain", "zero-border"; throws UsageError with the nearest name.
ValueLayout parse_layout(std::string_view name);
std::string_view name_of(ValueLayout layout);
/// "auto", "cpu" or "cuda:N"; throws UsageError.
std::string parse_device(std::string_view id);
/// A label that can stand in "problem/arm/mode": no '/', no white space. Throws UsageError.
std::string parse_label(const YamlNode& node);

/// A preset's name or a map; relative directories lie beside the file.
ProblemSpec parse_problem(const YamlNode& node, const std::filesystem::path& beside);

/// A list of variants, each "name" or {name: {parameter: value}}, that go together. A recipe's name
/// stands for its variants, except those whose slots the list fills itself.
std::vector<Use> parse_uses(const YamlNode& node, const Recipes& recipes, const Registry& registry);
/// Adds the recipes of a map to `recipes`; each may use those before it. One that is wrong carries
/// its error.
void parse_recipes(const YamlNode& node, const Registry& registry, Recipes& recipes);
/// A recipe's name, a variant's name, or {name: ..., use: [...]}.
ArmSpec parse_arm(const YamlNode& node, const Recipes& recipes, const Registry& registry);

MeasureSettings parse_measure(const YamlNode& node);

/// Claims about the arms and problems that the experiment has.
std::vector<Claim> parse_claims(const YamlNode& node, const Experiment& experiment);

}  // namespace msda
