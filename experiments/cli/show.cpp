#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/variant_text.hpp"
#include "compose/skeleton.hpp"
#include "external/external.hpp"
#include "plugin/levels.hpp"
#include "problem/validate.hpp"
#include "runner/experiment/experiment.hpp"

namespace msda {
namespace {

Arguments show_arguments() {
  Arguments arguments(
      {"show NAME [OPTION...]",
       "Shows a variant with its parameters, a slot with its contract and who fills it, a "
       "problem preset with its sizes, or a recipe with its parts.",
       "  msda show vector-loads\n"
       "  msda show ledger-48\n"
       "  msda show mapping\n"
       "  msda show experiments/ablation.yaml:all\n"
       "  msda show wide-loads --recipes experiments/recipes.yaml\n"});
  arguments.option("recipes", "FILE", "where recipes are looked up (default: the shipped ones)");
  add_operator_option(arguments, kDefaultOperator);
  arguments.plugin_option();
  arguments.words("NAME", 1, 1);
  return arguments;
}

void show_variant(const Plugin& plugin) {
  const VariantInfo& info = plugin.variant->info();
  fmt::print("{} {} ({})\n  {}\n  file: {}\n", plugin.name, plugin.version,
             kind_text(*plugin.variant), info.summary,
             plugin.file.empty() ? "part of the program" : plugin.file.string());
  if (!plugin.optimized) {
    fmt::print("  built without optimization{}: its host code is slow\n",
               plugin.build_type.empty() ? "" : " (" + plugin.build_type + ")");
  }
  if (info.parameters.empty()) fmt::print("  no parameters\n");
  for (const ParameterSpec& spec : info.parameters) {
    fmt::print("  {}: {} ({})\n", spec.name, spec.summary, type_text(spec));
  }
}

void show_operator(const Operator& op) {
  fmt::print("{} (operator)\n  {}\n  operations: {}\n", op.name(), op.summary(), op.flops_text());
  for (const TensorSpec& spec : op.tensors()) {
    std::vector<std::string_view> axes;
    for (const Axis axis : spec.dimensions()) axes.push_back(symbol_of(axis));
    constexpr std::array kRoles = {"input", "derived", "output"};
    fmt::print("  {} {} [{}]{}\n", kRoles[static_cast<std::size_t>(spec.role)], spec.name,
               fmt::join(axes, ", "), spec.accumulated ? ", accumulated" : "");
  }
  for (const Skeleton& skeleton : op.skeletons()) {
    fmt::print("  skeleton {}\n", skeleton.name);
    for (const SkeletonSlot& slot : skeleton.slots) {
      fmt::print("    {}{}\n", slot.name, slot.policy.empty() ? "" : ": " + slot.policy);
    }
  }
}

void show_preset(const std::string& name, const Operator& op) {
  const Problem problem = preset(name);
  const Traffic traffic = op.traffic(problem);
  std::vector<std::string> levels;
  for (const Level& level : problem.levels) {
    levels.push_back(fmt::format("{}x{}", level.height, level.width));
  }
  fmt::print("{} (problem preset)\n  {}\n  levels: {}; S={}\n", name, describe(problem),
             fmt::join(levels, " "), problem.spatial_size());
  fmt::print("  tensors: {:.1f} MB in fp32; gathered: {:.1f} MB; {:.3f} GFLOP\n",
             static_cast<double>(traffic.once()) / 1e6, static_cast<double>(traffic.gathered) / 1e6,
             static_cast<double>(traffic.flops) / 1e9);
}

/// The skeletons that have the slot, its contract, its default and who fills it.
void show_slot(const std::string& name, const Registry& registry) {
  std::vector<std::string> asked_by;
  std::string contract;
  const SkeletonSlot* slot = nullptr;
  for (const Skeleton& skeleton : skeletons()) {
    const SkeletonSlot* found = skeleton.find(name);
    if (found == nullptr) continue;
    slot = found;
    contract = contract_header(skeleton, *found);
    asked_by.push_back(skeleton.name);
  }
  const std::vector<std::string> fillers = fillers_of(name, registry);
  fmt::print("{} (slot of {})\n", name, fmt::join(asked_by, ", "));
  if (!slot->policy.empty()) {
    fmt::print("  contract: concept {}Policy in {}\n", slot->member, contract);
  }
  fmt::print("  default: {}\n  filled by: {}\n",
             slot->policy.empty() ? "none: a variant has to fill it" : slot->policy,
             fillers.empty() ? "the default alone" : fmt::format("{}", fmt::join(fillers, ", ")));
  fmt::print(
      "  K::Problem in device code: Value, Location, Weight, Output, kHeads, kChannels, kLevels, "
      "kPoints, kSpatialSize, width(level), height(level)\n");
}

bool is_in(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

int show_command(const std::vector<std::string>& words) {
  Arguments arguments = show_arguments();
  if (!arguments.parse(words)) return 0;
  const std::string& name = arguments.words().front();
  const Registry registry = load_registry(arguments);
  std::vector<std::string> known = preset_names();
  if (is_in(name, known)) {
    const Operator* const named = operator_option(arguments);
    show_preset(name, named != nullptr ? *named : find_operator(kDefaultOperator));
    return 0;
  }
  const std::vector<std::string> names = operator_names();
  if (is_in(name, names)) {
    show_operator(find_operator(name));
    return 0;
  }
  known.insert(known.end(), names.begin(), names.end());
  const std::vector<std::string> slots = slot_names();
  for (const Plugin& plugin : registry.plugins()) known.push_back(plugin.name);
  known.emplace_back(kExternalVariant);
  known.emplace_back(kLevelsVariant);
  if (is_in(name, known)) {
    show_variant(registry.find(name));
    return 0;
  }
  if (is_in(name, slots)) {
    show_slot(name, registry);
    return 0;
  }
  known.insert(known.end(), slots.begin(), slots.end());
  const Recipes recipes = recipes_for(arguments.find("recipes"), registry, {name});
  for (const auto& entry : recipes) known.push_back(entry.first);
  if (const auto found = recipes.find(name); found != recipes.end()) {
    const Composition composition(registry, usable(found->second));
    const bool is_arm = name.find(':') != std::string::npos;
    fmt::print("{} ({})\n  {}\n", name, is_arm ? "arm" : "recipe", composition.describe());
    return 0;
  }
  throw UsageError(
      fmt::format("no variant, slot, preset or recipe '{}'{}", name, suggestion(name, known)));
}

}  // namespace msda
