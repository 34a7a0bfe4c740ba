// The CPU's ceilings, measured.
#pragma once

#include "device/device.hpp"

namespace msda {

/// Copy bandwidth of buffers far beyond the caches, and first-level read bandwidth, on all hardware
/// threads. Takes well under a second.
Ceilings measure_host_ceilings();

}  // namespace msda
