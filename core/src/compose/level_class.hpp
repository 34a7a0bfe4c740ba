// The class of a pyramid (msda/level_class.cuh), and its sizes as a kernel's arguments.
#pragma once

#include <msda/level_class.cuh>
#include <msda/problem.hpp>

#include "compose/unit_writer.hpp"
#include "plugin/levels.hpp"

namespace msda {

/// The class that the unit for a problem is compiled for. Of stored sizes only the number of pixels
/// is known.
LevelClass class_of(const Problem& problem, LevelForm form);

/// Without `resident` and `shapes`.
LevelSizes sizes_of(const Problem& problem);

/// The kernel of given level sizes that the problem's pyramid takes.
void choose_kernel(ComposedUnit& composed, const LaunchPlan& plan, const Problem& problem);

}  // namespace msda
