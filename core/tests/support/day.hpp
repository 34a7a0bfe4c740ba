// What the quick tests take in turn: another part on each day.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>

namespace msda {

/// The number of a day, counted since 1970; what MSDA_DAY says where it is set.
inline std::size_t day_of_tests() {
  if (const char* const asked = std::getenv("MSDA_DAY")) return std::stoul(asked);
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  return static_cast<std::size_t>(today.time_since_epoch().count());
}

}  // namespace msda
