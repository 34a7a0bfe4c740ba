// The least time in which the operator can be computed at all.
#pragma once

#include <msda/problem.hpp>

#include "facts/ceilings.hpp"
#include "facts/timing_mode.hpp"

namespace msda {

/// A bound that holds for every kernel, however it reuses values: locations and weights have to be
/// read and the output has to be written. In `cold` the first two come from DRAM; else everything
/// may be in a cache, the second-level one of a GPU, and of a CPU the first. 0 where the ceilings
/// are not known.
double least_seconds(const Problem& problem, TimingMode mode, const Ceilings& ceilings);

}  // namespace msda
