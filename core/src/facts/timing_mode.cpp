#include "facts/timing_mode.hpp"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <msda/error.hpp>

#include "nearest.hpp"

namespace msda {

std::string_view name_of(TimingMode mode) {
  switch (mode) {
    case TimingMode::kCold: return "cold";
    case TimingMode::kWarm: return "warm";
    case TimingMode::kGraph: return "graph";
  }
  return "?";
}

TimingMode parse_timing_mode(std::string_view name) {
  std::vector<std::string> names;
  for (const TimingMode mode : {TimingMode::kCold, TimingMode::kWarm, TimingMode::kGraph}) {
    if (name_of(mode) == name) return mode;
    names.emplace_back(name_of(mode));
  }
  throw UsageError(fmt::format("no timing mode '{}'{}; there are: {}", name,
                               suggestion(name, names), fmt::join(names, ", ")));
}

}  // namespace msda
