// The CUDA devices, or their absence: a program built without CUDA has the same functions.
#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"

namespace msda {

/// Empty when there is none; cuda_unavailable_reason() says why.
std::vector<DeviceInfo> cuda_devices();

/// Throws EnvironmentError when there is no such device, with the ones there are.
std::unique_ptr<Device> open_cuda(int ordinal);

}  // namespace msda
