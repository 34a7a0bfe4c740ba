// What a plan knows of vacuous arms before anything runs.
#pragma once

#include <string>
#include <vector>

#include "runner/plan/plan.hpp"

namespace msda {

/// "prefetch has no effect on uniform, local: prefetch-query: a work item has one tile: ...", one
/// for each arm and thing that has nothing to do there. Compiles the launch plan of every
/// composition with the host's compiler, and keeps it; without one there is a single note that says
/// so.
std::vector<std::string> vacuous_notes(const Plan& plan);

}  // namespace msda
