// The least time in which a device could do what a record is of, and which memory sets it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "facts/ceilings.hpp"
#include "results/record.hpp"

namespace msda {

/// Where bytes come from; a bound belongs to the one that takes longest.
enum class MemoryLevel { kDram, kL2, kL1 };

/// "DRAM", "L2" or "L1".
std::string_view name_of(MemoryLevel level);

/// What is known of a device's memory.
struct MemoryFacts {
  Ceilings ceilings;          ///< zero where nobody measured them
  std::int64_t l2_bytes = 0;  ///< L2 of a GPU, last-level cache of a CPU; 0 when not known
};

struct SpeedOfLight {
  double seconds = 0;
  MemoryLevel level = MemoryLevel::kDram;
};

/// The longest of three times. DRAM: the bytes that have to come from it over its ceiling; all of
/// minimum_dram_bytes in `cold`, else what of them does not fit the L2. L2: minimum_dram_bytes,
/// each of which crosses to a multiprocessor at least once, over the ceiling of reads that hit the
/// L2 (a GPU's; 0 on a CPU). L1: gathered_bytes over the faster of the first-level cache and shared
/// memory. Several devices that share a batch have as many times each ceiling. Absent where the
/// ceilings of DRAM and L1 are not known.
std::optional<SpeedOfLight> speed_of_light(const Record& record, const MemoryFacts& memory);

}  // namespace msda
