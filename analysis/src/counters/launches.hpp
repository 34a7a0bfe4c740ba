// Counters put together as launches, and where the time of a launch goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/counters.hpp"

namespace msda {

/// All kernels of one cell's launch.
struct CountedLaunch {
  KernelCounters kernel;                  ///< the main one
  std::vector<KernelCounters> prepasses;  ///< in the order of the file

  const std::string& arm() const { return kernel.arm; }
};

/// In the order in which their main kernels stand; what has none is left out.
std::vector<CountedLaunch> launches_of(const std::vector<KernelCounters>& kernels);

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

/// What a part of a launch's time goes into, or what a resource was busy with meanwhile.
struct Load {
  enum class Kind {
    kIssuing,   ///< a part of the time: an instruction was issued
    kWaiting,   ///< a part: no warp had an instruction that could be issued
    kIdle,      ///< a part: an SM had no more work while another one did
    kPrepass,   ///< a part: before the main kernel
    kResource,  ///< busy, alongside the others
  };
  std::string name;  ///< "issue slots", "waiting for global memory", "DRAM"
  Kind kind = Kind::kResource;
  double seconds = 0;
  std::optional<double> work;          ///< of `resource`
  const Resource* resource = nullptr;  ///< of issue slots too; else none
};

/// Where a launch's time goes. The parts (all but kResource) add up to `seconds`; absent are those
/// whose counters are.
///
/// The scheduler of an SM's quarter either issues an instruction in a cycle or has no warp that is
/// ready. The share of the former is a counter; what an SM idles is that of the mean SM's active
/// cycles against those of the longest; the rest is waiting, split by the reasons for which warps
/// stall. Stalls are counted in all cycles and split those in which no warp was ready, which is an
/// approximation.
struct LaunchLoads {
  double seconds = 0;  ///< of the profiled launch, pre-passes included
  std::vector<Load> loads;

  const Load* find(const std::string& name) const;
  /// Whether the main kernel's time is split into parts: that needs its issue slots.
  bool splits_time() const;
  /// Of the time, 0 .. 1.
  double share(const Load& load) const { return load.seconds / seconds; }
};

/// nullopt for a launch whose time was not counted.
std::optional<LaunchLoads> loads_of(const CountedLaunch& launch);

/// The mean launch; a load that one of them lacks counts as 0 there. `all` is not empty.
LaunchLoads mean(const std::vector<LaunchLoads>& all);

/// A resource counts as near its limit from this share of the time on.
inline constexpr double kNearLimit = 0.6;

/// The resource that was busy most; nullptr where none was counted.
const Load* busiest(const LaunchLoads& loads);
/// What a launch is bound by: "LSU data pipe, 82% busy", or what it waits for when nothing was near
/// its limit.
std::string bound_in_words(const LaunchLoads& loads);

}  // namespace msda
