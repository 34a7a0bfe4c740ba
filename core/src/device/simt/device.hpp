// The device "simt": composed kernels compiled by the host's compiler and run thread by thread, for
// correctness alone. See docs/simt.md.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "device/device.hpp"
#include "device/simt/launch.hpp"

namespace msda {

/// Options of "simt", "simt:SEED" and "simt:SEED:races"; nullopt for any other text.
std::optional<simt::Options> parse_simt(std::string_view id);

DeviceInfo simt_info(const simt::Options& options);
/// With simt_info(options), or with what is known of another device that it stands for.
std::unique_ptr<Device> open_simt(const simt::Options& options);
std::unique_ptr<Device> open_simt(const simt::Options& options, const DeviceInfo& info);

}  // namespace msda
