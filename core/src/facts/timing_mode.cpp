#include "facts/timing_mode.hpp"

namespace msda {

std::string_view name_of(TimingMode mode) {
  switch (mode) {
    case TimingMode::kCold: return "cold";
    case TimingMode::kWarm: return "warm";
    case TimingMode::kGraph: return "graph";
  }
  return "?";
}

TimingMode parse_timing_mode(std::string_view name) { return value_named<TimingMode>(name); }

}  // namespace msda
