// What `msda export` is asked for: which problems, and which composition for each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "export/export.hpp"

namespace msda {

/// Adds --problem, --for, --dtype, --device-model and --recipes.
void add_subject_options(Arguments& arguments);

/// The words of `msda export`, RECIPE... and KEY=VALUE..., with its options: one kernel for each
/// problem. `notes` gets a line for each winner that stands for `best`. Throws UsageError.
std::vector<ExportedKernel> export_subjects(const Arguments& arguments, const Registry& registry,
                                            std::vector<std::string>& notes);

}  // namespace msda
