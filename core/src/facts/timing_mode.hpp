// The ways in which launches are timed.
#pragma once

#include <array>
#include <string_view>

#include "names.hpp"

namespace msda {

/// cold: caches flushed before each sample. warm: back to back on rotating input sets. graph: a
/// CUDA graph of many launches, time for each.
enum class TimingMode { kCold, kWarm, kGraph };

std::string_view name_of(TimingMode mode);
/// Throws UsageError with the nearest name.
TimingMode parse_timing_mode(std::string_view name);

template <>
struct Named<TimingMode> {
  static constexpr const char* kWhat = "timing mode";
  static constexpr std::array kValues = {TimingMode::kCold, TimingMode::kWarm, TimingMode::kGraph};
};

}  // namespace msda
