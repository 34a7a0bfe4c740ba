// Offsets that 32 bits do not hold: a batch whose every tensor has more than 2^32 elements and more
// than 2^31 rows. Only the blocks of its last image run, and only its memory is ever touched.
#pragma once

#include <string>

#include "compose/composition.hpp"
#include "device/device.hpp"

namespace msda {

/// Of the shape of tile_problems(), whose compiled units fit.
const Problem& vast_problem();

/// Runs the composition, compiled for the problem, on its last image; what is wrong with the rows
/// that were written, or "". Throws Unsupported where the composition refuses, or its workers take
/// several items each.
std::string wrong_with_offsets(const Composition& composition, const Build& build);

}  // namespace msda
