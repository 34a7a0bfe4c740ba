// The slots of a launch plan, as plugins call them.
#pragma once

#include <array>
#include <string>

#include <msda/launch.cuh>

namespace msda {

/// By msda::Slot: "arithmetic", "layout", ...
std::array<std::string, kSlotCount> slot_names();

}  // namespace msda
