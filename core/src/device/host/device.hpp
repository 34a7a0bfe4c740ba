// The CPU as a device: host memory, wall clock, all hardware threads.
#pragma once

#include <memory>

#include "device/device.hpp"

namespace msda {

DeviceInfo host_info();
std::unique_ptr<Device> open_host();

}  // namespace msda
