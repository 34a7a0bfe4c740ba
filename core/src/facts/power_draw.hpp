// What an arm draws while its launches follow one another.
#pragma once

#include <optional>

namespace msda {

/// Of the whole device, what it draws when idle included.
struct PowerDraw {
  double joules = 0;                   ///< for each launch
  double watts = 0;                    ///< on average
  std::optional<double> sm_clock_mhz;  ///< at the end, with launches at work; absent where untold
};

}  // namespace msda
