// Which policies of a composition have nothing to do, as its device code knows at compile time.
#pragma once

#include <string>
#include <vector>

#include <msda/launch.cuh>

#include "compose/composition.hpp"
#include "compose/unit_writer.hpp"
#include "jit/host_compiler.hpp"

namespace msda {

/// "prefetch-query: a work item has one tile: ...", one for each, as the plan of the unit has it.
std::vector<std::string> idle_policies(const ComposedUnit& composed, const LaunchPlan& plan);

/// The same before anything is compiled that could run: of a unit that was written, the host's
/// compiler evaluates the launch plan alone, in a fraction of a second. Callable from several
/// threads at a time. Throws Error where the unit does not compile.
std::vector<std::string> idle_policies(const ComposedUnit& composed, const HostCompiler& compiler);

}  // namespace msda
