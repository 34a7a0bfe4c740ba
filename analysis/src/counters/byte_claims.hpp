// What a composition declares that it moves at each level of the memory, against what was counted.
//
// The model is simple and needs nothing but the problem and the kernel's shared memory. DRAM: each
// input is read once and the output written once. From L2 to L1: every corner of every point, less
// those of levels that lie in shared memory, and the inputs once. Which levels these are is not
// known here; they are at most the smallest ones that fit the block's shared memory together, so
// the declared number is a range. Shared memory: its accesses without bank conflicts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/launches.hpp"
#include "results/manifest.hpp"
#include "results/record.hpp"

namespace msda {

enum class MemoryStep { kDram, kL2ToL1, kShared };
std::string_view name_of(MemoryStep step);  ///< "DRAM", "L2 to L1", "shared memory"

enum class ByteVerdict {
  kConfirmed,  ///< within kByteTolerance of what is declared
  kAbsorbed,   ///< less: a cache nearer to the SM had it
  kInflated,   ///< more: read again, whole sectors for parts of them, bank conflicts
};
std::string_view name_of(ByteVerdict verdict);

inline constexpr double kByteTolerance = 0.1;

struct ByteClaim {
  MemoryStep step = MemoryStep::kDram;
  double low = 0;  ///< declared, bytes
  double high = 0;
  double counted = 0;  ///< of all kernels of a launch
  ByteVerdict verdict = ByteVerdict::kConfirmed;

  /// counted / the nearer end of what is declared; 1 inside
  double ratio() const;
};

/// Bytes of each level of one head and image as a manifest's problem has them; empty where it has
/// not. Throws nothing.
std::vector<double> level_bytes(const Manifest& manifest, const std::string& problem);

/// The steps whose counters are there. `record` is that of the same cell, `levels` those of
/// level_bytes().
std::vector<ByteClaim> byte_claims(const CountedLaunch& launch, const Record& record,
                                   const std::vector<double>& levels);

/// "DRAM as declared, L2 to L1 absorbed (0.50x)"
std::string in_words(const std::vector<ByteClaim>& claims);

}  // namespace msda
