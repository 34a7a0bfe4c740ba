// What commands share: the program's own file, and the recipes that came with it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "runner/experiment/experiment.hpp"

namespace msda {

/// The program's file, which is started again as the worker.
std::filesystem::path program_path();

/// An arm as commands name it: "EXPERIMENT.yaml:ARM".
struct ExperimentArm {
  std::filesystem::path file;
  std::string arm;
};
/// nullopt for words of another form.
std::optional<ExperimentArm> experiment_arm(const std::string& word);
/// Throws UsageError with the nearest name.
const ArmSpec& find_arm(const Experiment& experiment, const std::string& name);

/// The recipes of `file`; without one those of recipes.yaml among the shipped experiments, or none
/// when that is not there. Each of `words` that is of the form EXPERIMENT.yaml:ARM is one as well,
/// under that name. Throws UsageError when such an experiment has no such arm.
Recipes recipes_for(const std::optional<std::string>& file, const Registry& registry,
                    const std::vector<std::string>& words = {});

/// What a recipe's or a variant's name stands for. Throws UsageError with the nearest name.
std::vector<Use> uses_of(const std::string& name, const Registry& registry, const Recipes& recipes);

/// --force, for a command that writes to a directory.
void add_force_option(Arguments& arguments);
/// Throws UsageError when `directory` holds something already, unless --force was given.
void require_room(const Arguments& arguments, const std::filesystem::path& directory);

}  // namespace msda
