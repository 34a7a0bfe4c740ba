// What the commands that run experiments share: on which devices, into which directory, and the
// report at the end.
#pragma once

#include <filesystem>
#include <string>

#include "cli/arguments.hpp"
#include "runner/plan/plan.hpp"
#include "runner/supervise/results_directory.hpp"

namespace msda {

/// On the devices of --device or --devices, else the experiment's own; of --shard its part.
Plan plan_for(const Arguments& arguments, const Experiment& experiment, const Registry& registry);

/// The directory of --output or --resume, or a new one; nobody else has it. Throws UsageError when
/// both are given, with the command's name.
ResultsDirectory results_directory(const Arguments& arguments, const std::string& command,
                                   const std::string& experiment);

/// Writes the report of a results directory beside its records, and prints a summary of it.
void report_on(const std::filesystem::path& directory);

}  // namespace msda
