// Why an arm is faster: the change in time beside the change in what keeps the hardware busy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/counters.hpp"

namespace msda {

/// One thing that a kernel can be bound by, and the counters that tell of it.
struct Resource {
  const char* name;         ///< "LSU data pipe"
  const char* busy_metric;  ///< share of the kernel's time that it was busy, in percent
  const char* work_metric;  ///< what it did
  const char* work;         ///< in words, "wavefronts"
  double scale;             ///< of the work, for people: 1e-6 for millions
  const char* unit;         ///< after scaling: "M", "MB"
};

/// From the registers outwards: issue slots, LSU data pipe, the way from L2 to L1, L2, DRAM.
const std::vector<Resource>& resources();

/// How a resource's busy time changed from one kernel to another.
struct ResourceChange {
  const Resource* resource = nullptr;
  double busy_before = 0;  ///< seconds
  double busy_after = 0;
  double share_before = 0;  ///< of the kernel's time, 0 .. 1
  double share_after = 0;
  std::optional<double> work_before;
  std::optional<double> work_after;

  double saved() const { return busy_before - busy_after; }
};

/// The change of a reason why warps wait, in cycles per issued instruction.
struct StallChange {
  std::string reason;  ///< "long_scoreboard"
  double before = 0;
  double after = 0;
};

struct Why {
  std::string problem;
  std::string arm;
  std::string over;  ///< the arm that it is compared with
  std::string mode;
  double time_before = 0;  ///< seconds, of the profiled launches
  double time_after = 0;
  /// The one that came closest to its limit in one of the two first: it is what bounded the time.
  std::vector<ResourceChange> changes;
  std::vector<StallChange> stalls;  ///< by the size of their change
};

/// A resource counts as near its limit from this share of the time on.
inline constexpr double kNearLimit = 0.6;

/// nullopt when one of the two lacks its duration.
std::optional<Why> explain(const KernelCounters& before, const KernelCounters& after);

/// "fastest takes 307 us where wide-loads takes 528: the LSU data pipe, busy 84% of the time
/// before, was busy 188 us less (109 M instead of 65 M wavefronts), which is 85% of the
/// difference."
std::string in_words(const Why& why);

/// What a kernel is bound by: the busiest resource, or latency when none is near its limit.
std::string bound_in_words(const KernelCounters& counters);

}  // namespace msda
