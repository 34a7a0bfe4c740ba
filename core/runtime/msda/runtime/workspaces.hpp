// The memory of a launch beside its tensors: one workspace for each slot that asks for one, and
// what has to be zero before the kernels run.
#pragma once

#include <cstddef>

#include <msda/launch.cuh>
#include <msda/slot_list.cuh>

namespace msda::runtime {

inline std::size_t extent_bytes(const Extent& extent, long long batch, long long queries) {
  return static_cast<std::size_t>(extent.fixed + extent.per_image * batch +
                                  extent.per_query * batch * queries);
}

/// Memory that a launch sets to zero before its kernels.
struct Clear {
  void* first;
  std::size_t bytes;
};

/// All that a launch clears, in the order of the slots.
class Clears {
 public:
  void add(void* first, std::size_t bytes) { items_[count_++] = {first, bytes}; }
  bool empty() const { return count_ == 0; }
  const Clear* begin() const { return items_; }
  const Clear* end() const { return items_ + count_; }

 private:
  Clear items_[kMostSlots];
  int count_ = 0;
};

/// Gives each slot its workspace in `arguments`, whose batch and queries are set, and lists what
/// the launch clears. `memory_for(slot, bytes)` returns the slot's memory. `remembers`: workspaces
/// that are cleared once are as the launch before left them, or zero.
template <class MemoryFor>
Clears add_workspaces(const LaunchPlan& plan, bool remembers, Arguments& arguments,
                      const MemoryFor& memory_for) {
  Clears clears;
  for (int slot = 0; slot < kMostSlots; ++slot) {
    const std::size_t bytes =
        extent_bytes(plan.workspace[slot], arguments.batch, arguments.queries);
    if (bytes == 0) continue;
    void* const memory = memory_for(slot, bytes);
    arguments.workspace[slot] = memory;
    const unsigned zeroed = plan.zeroed[slot];
    if (zeroed == kZeroedEachLaunch || (zeroed == kZeroedOnce && !remembers)) {
      clears.add(memory, bytes);
    }
  }
  return clears;
}

/// What the main kernel reads as values: the tensor, or the copy of it that a pre-pass makes.
inline const void* stored_values(const LaunchPlan& plan, const Arguments& arguments) {
  return plan.has_prepass[kLayout] != 0 ? arguments.workspace[kLayout] : arguments.value;
}
/// Their size where the tensor has `value_bytes`.
inline std::size_t stored_bytes(const LaunchPlan& plan, const Arguments& arguments,
                                std::size_t value_bytes) {
  if (plan.has_prepass[kLayout] == 0) return value_bytes;
  return extent_bytes(plan.workspace[kLayout], arguments.batch, arguments.queries);
}

}  // namespace msda::runtime
