#include "facts/timing_mode.hpp"

namespace msda {

TimingMode parse_timing_mode(std::string_view name) { return value_named<TimingMode>(name); }

}  // namespace msda
