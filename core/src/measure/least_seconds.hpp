// The least time in which the operator can be computed at all.
#pragma once

#include <msda/operator.hpp>

#include "facts/ceilings.hpp"
#include "facts/timing_mode.hpp"

namespace msda {

/// A bound that holds for every kernel, however it reuses what it reads: Traffic::least_read and
/// least_written. In `cold` what is read comes from DRAM; else everything may be in a cache, the
/// second-level one of a GPU, and of a CPU the first. 0 where the ceilings are not known.
double least_seconds(const Traffic& traffic, TimingMode mode, const Ceilings& ceilings);

}  // namespace msda
