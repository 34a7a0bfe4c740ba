#include "measure/least_seconds.hpp"

#include <algorithm>

namespace msda {
namespace {

double seconds(double bytes, double bytes_per_second) {
  return bytes_per_second > 0 ? bytes / bytes_per_second : 0;
}

}  // namespace

double least_seconds(const Problem& problem, TimingMode mode, const Ceilings& ceilings) {
  const auto bytes = [](std::int64_t elements, DType type) {
    return static_cast<double>(elements) * static_cast<double>(size_of(type));
  };
  const double read = bytes(problem.location_elements(), problem.types.location) +
                      bytes(problem.weight_elements(), problem.types.weight);
  const double written = bytes(problem.output_elements(), problem.types.output);
  const double cache = ceilings.l2_bytes_per_second > 0 ? ceilings.l2_bytes_per_second
                                                        : ceilings.gather_bytes_per_second;
  const double cached = seconds(read + written, cache);
  if (mode != TimingMode::kCold) return cached;
  return std::max(cached, seconds(read, ceilings.dram_bytes_per_second));
}

}  // namespace msda
