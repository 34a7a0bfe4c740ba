// Several devices "simt", which stand in for the GPUs of a host.
#pragma once

#include <memory>

#include "device/group.hpp"
#include "device/simt/launch.hpp"

namespace msda {

/// `count` devices like `like`, each with memory of its own, run one after the other in the calling
/// thread.
std::unique_ptr<DeviceGroup> make_simt_group(const simt::Options& options, const DeviceInfo& like,
                                             int count);

}  // namespace msda
