// A launch in which only the blocks of the batch's last image run: with a batch so large that its
// tensors hold more elements than 32 bits count, this takes the time of one image, and memory that
// is never touched costs nothing.
#pragma once

#include <functional>

#include <msda/launch.cuh>
#include <msda/problem.hpp>

#include "device/simt/launch.hpp"

namespace msda::simt {

/// The blocks that work on the last image: of a grid with a worker for each item, those of its last
/// items; of one whose threads walk over all work with the stride of the grid, the last of those
/// that have any. `works(block)` runs a block and says whether it did anything. Throws Unsupported
/// for a launch that is neither, because its workers take several items each.
Blocks blocks_of_last_image(const LaunchShape& shape, const Problem& problem, unsigned blocks,
                            const std::function<bool(unsigned block)>& works);

}  // namespace msda::simt
