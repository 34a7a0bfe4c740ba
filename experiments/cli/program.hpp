// What commands share: the program's own file, the recipes that came with it, and of those that run
// experiments on which devices, into which directory, and the report at the end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "runner/experiment/experiment.hpp"
#include "runner/plan/plan.hpp"
#include "runner/supervise/results_directory.hpp"
#include "runner/supervise/run_session.hpp"

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

/// The file that a word names: itself where it is there; else, of a name alone ("quickstart"), the
/// shipped experiment of that name, from any directory. Throws UsageError for a name that is near
/// to a shipped one's.
std::filesystem::path experiment_path(const std::string& word);

/// The recipes of `file`; without one those of recipes.yaml among the shipped experiments, or none
/// when that is not there. Each of `words` that is of the form EXPERIMENT.yaml:ARM is one as well,
/// under that name. Throws UsageError when such an experiment has no such arm.
Recipes recipes_for(const std::optional<std::string>& file, const Registry& registry,
                    const std::vector<std::string>& words = {});

/// What stands for the winners of searches.
inline constexpr const char* kBest = "best";
/// Throws UsageError where that is the name, for commands that take no winners.
void refuse_best(const std::string& name);

/// What a recipe's or a variant's name stands for. Throws UsageError with the nearest name.
std::vector<Use> uses_of(const std::string& name, const Registry& registry, const Recipes& recipes);

/// --operator, for a command that spells a problem, and what it names; nullopt without. Throws
/// UsageError with the nearest name.
void add_operator_option(Arguments& arguments, std::string_view otherwise);
const Operator* operator_option(const Arguments& arguments);

/// --force, for a command that writes to a directory.
void add_force_option(Arguments& arguments);
/// Throws UsageError when `directory` holds something already, unless --force was given.
void require_room(const Arguments& arguments, const std::filesystem::path& directory);

/// On the devices of --device or --devices, else the experiment's own; of --shard its part.
Plan plan_for(const Arguments& arguments, const Experiment& experiment, const Registry& registry);

/// The directory of --output or --resume, or a new one; nobody else has it. Throws UsageError when
/// both are given, with the command's name.
ResultsDirectory results_directory(const Arguments& arguments, const std::string& command,
                                   const std::string& experiment);

/// Writes the report of a results directory beside its records, and prints a summary of it.
void report_on(const std::filesystem::path& directory);

/// What the command that was called with these words asks of a session.
SessionOptions session_options(const Arguments& arguments, const std::string& command,
                               const std::vector<std::string>& words);

}  // namespace msda
