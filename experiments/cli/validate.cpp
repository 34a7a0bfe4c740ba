#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
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
};

Checked check_file(const std::string& file, const Registry& registry) {
  const YamlMap map = YamlNode::parse(read_text(file, kMostHandwritten), file).as_map();
  if (map.find("recipes") && !map.find("problems") && !map.find("arms")) {
    map.allow_only({"include", "recipes"});
    const Recipes recipes = load_recipes(file, registry);
    for (const auto& [name, recipe] : recipes) usable(recipe);
    return {fmt::format("{} recipes", recipes.size()), {}};
  }
  const Experiment experiment = load_experiment(file, registry);
  const std::string claims =
      experiment.claims.empty() ? "" : fmt::format(", {} claims", experiment.claims.size());
  return {fmt::format("{} problems, {} arms, {} modes{}", experiment.problems.size(),
                      experiment.arms.size(), experiment.measure.modes.size(), claims),
          experiment.design ? dropped_notes(*experiment.design) : std::vector<std::string>()};
}

}  // namespace

int validate_command(const std::vector<std::string>& words) {
  Arguments arguments({"validate FILE... [OPTION...]",
                       "Reads experiment files as 'run' would and says what is wrong with them: "
                       "file, line, column, the offending text and what was probably meant. Lists "
                       "the combinations of an ablation that cannot run, each with its reason.",
                       "  msda validate experiments/*.yaml\n"});
  arguments.plugin_option();
  arguments.words("FILE", 1, -1);
  if (!arguments.parse(words)) return 0;
  const Registry registry = load_registry(arguments);
  bool all_good = true;
  for (const std::string& file : arguments.words()) {
    try {
      const Checked checked = check_file(file, registry);
      fmt::print("{}: {} ({})\n", file, coloured("ok", Colour::kGreen, stdout), checked.content);
      for (const std::string& note : checked.notes) fmt::print("  {}\n", note);
    } catch (const UsageError& error) {
      all_good = false;
      fmt::print(stderr, "{}\n", error.what());
    }
  }
  return static_cast<int>(all_good ? ExitCode::kOk : ExitCode::kUsage);
}

}  // namespace msda
