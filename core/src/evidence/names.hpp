// What is counted, by name.
#pragma once

#include <string>

namespace msda {

/// Devices that wrote rows.
inline constexpr const char* kDevices = "devices";

/// Throws UsageError with the nearest name when nothing is counted under this one.
void check_counted(const std::string& name);

}  // namespace msda
