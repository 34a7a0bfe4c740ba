#include "statistics/speed_of_light.hpp"

#include <algorithm>

namespace msda {
namespace {

double seconds_of(std::int64_t bytes, double bytes_per_second) {
  return bytes_per_second > 0 ? static_cast<double>(bytes) / bytes_per_second : 0;
}

/// What cannot have stayed in the L2 since the launch before.
std::int64_t bytes_from_dram(const Record& record, std::int64_t l2_bytes) {
  if (traits_of(record.mode).flushes_caches) return record.traffic.once();
  return std::max<std::int64_t>(0, record.traffic.once() - l2_bytes);
}

}  // namespace

std::string_view name_of(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::kDram: return "DRAM";
    case MemoryLevel::kL2: return "L2";
    case MemoryLevel::kL1: return "L1";
  }
  return "";
}

std::optional<SpeedOfLight> speed_of_light(const Record& record, const MemoryFacts& memory) {
  const Ceilings& ceilings = memory.ceilings;
  if (ceilings.dram_bytes_per_second <= 0 || ceilings.gather_bytes_per_second <= 0) return {};
  const double nearest =
      std::max(ceilings.gather_bytes_per_second, ceilings.shared_bytes_per_second);
  const int devices = record.devices.value_or(1);
  const std::int64_t from_dram = bytes_from_dram(record, devices * memory.l2_bytes);
  const SpeedOfLight levels[] = {
      {seconds_of(from_dram, devices * ceilings.dram_bytes_per_second), MemoryLevel::kDram},
      {seconds_of(record.traffic.once(), devices * ceilings.l2_bytes_per_second), MemoryLevel::kL2},
      {seconds_of(record.traffic.gathered, devices * nearest), MemoryLevel::kL1}};
  return *std::max_element(
      std::begin(levels), std::end(levels),
      [](const SpeedOfLight& a, const SpeedOfLight& b) { return a.seconds < b.seconds; });
}

}  // namespace msda
