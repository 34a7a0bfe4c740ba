// The ways in which launches are timed.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "names.hpp"

namespace msda {

/// cold: caches flushed before each sample. warm: back to back on rotating input sets. graph: a
/// CUDA graph of many launches, time for each. behind: the same with another kernel before each
/// launch, as a model has it; what the launches add to the time of the others.
enum class TimingMode { kCold, kWarm, kGraph, kBehind };

/// What there is to know of a mode. Who times and who reports asks these, and not which mode it is.
struct TimingModeTraits {
  TimingMode mode;
  std::string_view name;
  bool flushes_caches;  ///< before each sample
  /// A sample is a graph of launches, whose parts are not timed apart.
  bool in_graph;
  /// The mode in which a profiler counts the same kernels.
  TimingMode counted_as;
};

/// In the order of the enumeration. A device has a branch for each mode that it can time.
inline constexpr std::array kTimingModes = {
    TimingModeTraits{TimingMode::kCold, "cold", true, false, TimingMode::kCold},
    TimingModeTraits{TimingMode::kWarm, "warm", false, false, TimingMode::kWarm},
    TimingModeTraits{TimingMode::kGraph, "graph", false, true, TimingMode::kWarm},
    TimingModeTraits{TimingMode::kBehind, "behind", false, true, TimingMode::kWarm}};

/// That of settings that name none, and of claims where it was measured.
inline constexpr TimingMode kUsualMode = TimingMode::kWarm;

constexpr const TimingModeTraits& traits_of(TimingMode mode) {
  return kTimingModes[static_cast<std::size_t>(mode)];
}

constexpr std::string_view name_of(TimingMode mode) { return traits_of(mode).name; }
/// Throws UsageError with the nearest name.
TimingMode parse_timing_mode(std::string_view name);

template <>
struct Named<TimingMode> {
  static constexpr const char* kWhat = "timing mode";
  static constexpr auto kValues = [] {
    std::array<TimingMode, kTimingModes.size()> modes{};
    for (std::size_t i = 0; i < modes.size(); ++i) modes[i] = kTimingModes[i].mode;
    return modes;
  }();
};

}  // namespace msda
