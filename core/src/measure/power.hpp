// The energy of a launch, by the device's own counter.
//
// A counter of energy moves a few times a second at worst, and a launch takes microseconds:
// launches follow one another for a while, and only what lies between two movements of the counter
// counts.
#pragma once

#include <chrono>
#include <optional>

#include "facts/power_draw.hpp"
#include "measure/blocks.hpp"

namespace msda {

/// Launches the arm over and over, in a stream as in mode `warm`, until the counter's first and
/// last movement are `seconds` apart. Nullopt where the device has no counter, or one that does not
/// move in four times as long.
std::optional<PowerDraw> measure_power(Device& device, GroupInputs& inputs, Executable& executable,
                                       std::chrono::duration<double> seconds);

}  // namespace msda
