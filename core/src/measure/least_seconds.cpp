#include "measure/least_seconds.hpp"

#include <algorithm>

namespace msda {
namespace {

double seconds(double bytes, double bytes_per_second) {
  return bytes_per_second > 0 ? bytes / bytes_per_second : 0;
}

}  // namespace

double least_seconds(const Traffic& traffic, TimingMode mode, const Ceilings& ceilings) {
  const auto read = static_cast<double>(traffic.least_read);
  const auto written = static_cast<double>(traffic.least_written);
  const double cache = ceilings.l2_bytes_per_second > 0 ? ceilings.l2_bytes_per_second
                                                        : ceilings.gather_bytes_per_second;
  const double cached = seconds(read + written, cache);
  if (!traits_of(mode).flushes_caches) return cached;
  return std::max(cached, seconds(read, ceilings.dram_bytes_per_second));
}

}  // namespace msda
