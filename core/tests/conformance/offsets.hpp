// Offsets that 32 bits do not hold: in a batch whose every tensor has more than 2^32 elements, of
// which only the blocks of the last image run, and in an image of more than 2^32 bytes, of which
// only one corner is read. Memory that is never touched costs nothing.
#pragma once

#include <string>

#include "compose/composition.hpp"
#include "device/device.hpp"

namespace msda {

/// Of the shape of tile_problems(), whose compiled units fit. Unless a
/// schedule needs a worker for each tile, there are more than 2^31 queries too.
Problem vast_problem(const Composition& composition);

/// As the device simt, with a worker for each item of the problem, and no more than a launch can
/// have.
DeviceInfo device_of_vast_problem();

/// Runs the composition, compiled for the problem, on its last image; what is wrong with the rows
/// that were written, or "". Throws Unsupported where its workers take several items each.
std::string wrong_with_offsets(const Composition& composition, const Build& build);

/// One image whose first level has 2^26 pixels.
Problem vast_image();
/// Runs the composition, compiled for the image, on the corner of its first level and on its other
/// levels; what is wrong, or "".
std::string wrong_with_vast_image(const Composition& composition, const Build& build);

}  // namespace msda
