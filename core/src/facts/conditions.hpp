// What state a device is in: clocks, temperature, power, and why it holds its clocks back.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace msda {

/// A number is absent where the driver does not tell.
struct Conditions {
  std::optional<double> sm_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> temperature_celsius;
  std::optional<double> power_watts;
  std::vector<std::string> throttled;  ///< "sw-power-cap", "hw-thermal", ...; see nvml.hpp
};

}  // namespace msda
