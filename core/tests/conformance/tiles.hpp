// Compositions and sizes that give a block several tiles, so that what a tile leaves behind for the
// next one is seen.
#pragma once

#include <vector>

#include "compose/composition.hpp"
#include "conformance/awkward_problems.hpp"

namespace msda {

/// Every optimization, and planes of two heads, beside a schedule of few blocks that takes a tile
/// at a time.
std::vector<Composition> item_for_each_tile();

/// Every optimization beside one that takes a whole image, and what several slots do together in
/// one tile: mappings of several rows to a lane with all that works on rows ahead, every pipeline
/// with everything that producer warps can produce.
std::vector<Composition> item_for_each_image();

/// One compile-time shape with levels of less than 256, more than 256 and more than 65,536 pixels
/// and two of as many; 129 rows, one more than tiles of any size have, of all heads together and of
/// one, the latter in three images and in two.
std::vector<AwkwardProblem> tile_problems();
/// The same with 1,152 pixels in the largest level, for what has a pre-pass over all of them.
std::vector<AwkwardProblem> small_tile_problems();

}  // namespace msda
