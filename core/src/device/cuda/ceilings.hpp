// The GPU's ceilings, measured.
#pragma once

#include <cuda_runtime_api.h>

#include "device/device.hpp"
#include "jit/compiler.hpp"

namespace msda {

/// Device-to-device copy of 1 GiB (less on a small GPU), and 16-byte loads that hit L1. About 50
/// ms.
Ceilings measure_cuda_ceilings(const Compiler& compiler, const DeviceInfo& device,
                               cudaStream_t stream);

}  // namespace msda
