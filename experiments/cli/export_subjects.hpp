// What `msda export` is asked for: which problems, and which composition for each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "export/export.hpp"

namespace msda {

/// Adds --problem, --for, --dtype, --operator, --device-model, --recipes, --gradients and --levels.
void add_subject_options(Arguments& arguments);

/// The words of `msda export`, RECIPE... and KEY=VALUE..., with its options: for each problem one
/// kernel in each form of level sizes, and those of its gradients. `is_package`: without options
/// there are all forms, and gradients where there is a winner. `notes` gets a line for each winner
/// that stands for `best`, and for each form that a recipe does not have. Throws UsageError.
std::vector<ExportedKernel> export_subjects(const Arguments& arguments, const Registry& registry,
                                            bool is_package, std::vector<std::string>& notes);

}  // namespace msda
