#include <fmt/format.h>

#include "cli/architecture.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "files/read.hpp"
#include "runner/experiment/experiment.hpp"
#include "runner/experiment/yaml_node.hpp"
#include "runner/plan/plan.hpp"

namespace msda {
namespace {

struct Checked {
  std::string content;  ///< "2 problems, 3 arms, 2 modes", or "4 recipes" of a file with no more
  std::vector<std::string> notes;
  bool is_experiment = true;
};

/// Kinds that the device names; nullopt for "auto", which takes whatever is there.
std::optional<DeviceKind> kind_of(const std::string& device) {
  if (device.starts_with("cpu")) return DeviceKind::kCpu;
  if (device.starts_with("simt")) return DeviceKind::kSimt;
  const bool is_gpu = device.starts_with("cuda") || names_architecture(device);
  return is_gpu ? std::optional(DeviceKind::kCuda) : std::nullopt;
}

/// "arm 'a' runs on cuda and simt, and not on the device cpu: it is left out", for each such arm.
/// Throws UsageError for an arm that computes what no problem asks for.
std::vector<std::string> arm_notes(const Experiment& experiment, const Registry& registry,
                                   const std::string& device) {
  std::vector<std::string> notes;
  const auto kind = kind_of(device);
  for (const ArmSpec& arm : experiment.arms) {
    if (arm.best) continue;
    const Composition composition(registry, arm.uses);
    check_operator(arm, composition, experiment.problems);
    if (!kind || composition.runs_on(*kind)) continue;
    notes.push_back(fmt::format("arm '{}' runs on {}, and not on the device {}: it is left out",
                                arm.name, composition.devices_text(), device));
  }
  return notes;
}

Checked check_file(const std::string& file, const Registry& registry,
                   const std::optional<std::string>& device) {
  const YamlMap map = YamlNode::parse(read_text(file, kMostHandwritten), file).as_map();
  if (map.find("recipes") && !map.find("problems") && !map.find("arms")) {
    map.allow_only({"include", "recipes"});
    const Recipes recipes = load_recipes(file, registry);
    for (const auto& [name, recipe] : recipes) usable(recipe);
    return {fmt::format("{} recipes", recipes.size()), {}, false};
  }
  const Experiment experiment = load_experiment(file, registry);
  const std::string claims =
      experiment.claims.empty() ? "" : fmt::format(", {} claims", experiment.claims.size());
  std::vector<std::string> notes =
      arm_notes(experiment, registry, device.value_or(experiment.device));
  if (experiment.design) {
    for (std::string& note : dropped_notes(*experiment.design)) notes.push_back(std::move(note));
  }
  return {fmt::format("{} problems, {} arms, {} modes{}", experiment.problems.size(),
                      experiment.arms.size(), experiment.measure.modes.size(), claims),
          std::move(notes)};
}

}  // namespace

int validate_command(const std::vector<std::string>& words) {
  Arguments arguments({"validate FILE... [OPTION...]",
                       "Reads experiment files as 'run' would and says what is wrong with them: "
                       "file, line, column, the offending text and what was probably meant. Lists "
                       "the combinations of an ablation that cannot run, each with its reason.",
                       "  msda validate experiments/*.yaml\n"
                       "  msda validate experiments/ablation.yaml --device sm_89\n"});
  arguments.option("device", "ID",
                   "also say which arms this device cannot run; of an architecture, sm_89, compile "
                   "all arms, without a GPU");
  arguments.plugin_option();
  arguments.words("FILE", 1, -1);
  if (!arguments.parse(words)) return 0;
  const Registry registry = load_registry(arguments);
  const std::string device = arguments.device();
  require_one_architecture(device, "validate");
  bool all_good = true;
  bool all_compile = true;
  for (const std::string& word : arguments.words()) {
    const std::string file = experiment_path(word).string();
    try {
      const Checked checked = check_file(file, registry, arguments.find("device"));
      fmt::print("{}: {} ({})\n", file, coloured("ok", Colour::kGreen, stdout), checked.content);
      for (const std::string& note : checked.notes) fmt::print("  {}\n", note);
      if (names_architecture(device) && checked.is_experiment) {
        all_compile = compile_all(load_experiment(file, registry), registry, device) && all_compile;
      }
    } catch (const UsageError& error) {
      all_good = false;
      fmt::print(stderr, "{}\n", error.what());
    }
  }
  if (!all_good) return static_cast<int>(ExitCode::kUsage);
  return static_cast<int>(all_compile ? ExitCode::kOk : ExitCode::kCellFailed);
}

}  // namespace msda
