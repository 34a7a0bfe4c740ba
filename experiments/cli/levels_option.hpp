// --levels: where the compositions of a command have the level sizes from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "facts/arm.hpp"
#include "facts/problem_spec.hpp"
#include "plugin/levels.hpp"
#include "plugin/registry.hpp"

namespace msda {

void add_levels_option(Arguments& arguments);

/// The form asked for; fixed without the option. Throws UsageError for another word.
LevelForm levels_from(const Arguments& arguments);

/// The uses with level sizes from there, whatever they said before; unchanged without the option.
std::vector<Use> with_levels(const Arguments& arguments, std::vector<Use> uses);

/// Why the uses are right as they are but do not go with the option; "" if they do, or if they are
/// wrong by themselves.
std::string refuses_levels(const Arguments& arguments, const Registry& registry,
                           const std::vector<Use>& uses);

/// Pyramids on which code that does not have the sizes as constants is checked, with as many levels
/// as `spec` has: itself, and others that share its units, ascend, or have levels of a single row,
/// column or pixel.
std::vector<ProblemSpec> with_pyramids(const ProblemSpec& spec);

}  // namespace msda
