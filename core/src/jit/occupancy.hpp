// What is known of a GPU by its architecture, without one at hand: its limits, and how many blocks
// of a kernel an SM holds at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <msda/variant.hpp>

namespace msda {

/// Limits of one SM, from the table of compute capabilities in the CUDA C++ Programming Guide.
struct SmLimits {
  int threads = 0;
  int blocks = 0;
  int registers = 0;  ///< 32 bits each
  std::int64_t shared_bytes = 0;
  std::int64_t shared_bytes_of_block = 0;  ///< at most, with the opt-in
};

/// 10 * major + minor of an architecture as NVRTC knows it: 90 of "sm_90a". Throws UsageError for
/// one that is not in the table, with those that are.
int capability_of(const std::string& architecture);
/// Throws as capability_of() does.
SmLimits sm_limits(const std::string& architecture);

/// The compute capabilities of that table, 10 * major + minor, in order.
std::vector<int> known_capabilities();

/// A stand-in for a GPU of a compute capability of that table, which need not be here.
DeviceInfo compile_target(int capability);

struct Occupancy {
  int blocks = 0;     ///< on one SM; 0: the kernel does not run
  double share = 0;   ///< of the SM's threads, 0 .. 1
  std::string limit;  ///< what allows no more: "threads", "registers", "shared memory", "blocks"
};

/// Of blocks with so many threads, registers per thread and bytes of shared memory.
Occupancy occupancy(const SmLimits& limits, int threads, int registers, std::int64_t shared_bytes);

}  // namespace msda
