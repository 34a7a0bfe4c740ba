// The memory of a launch beside its tensors: one workspace for each slot that asks for one, and
// what has to be zero before the kernels run.
#pragma once

#include <cstddef>

#include <msda/launch.cuh>

namespace msda::runtime {

/// `pixels`: of an image, where the code has no constant number of them.
inline std::size_t extent_bytes(const Extent& extent, long long batch, long long queries,
                                long long pixels) {
  return static_cast<std::size_t>(extent.fixed + extent.per_image * batch +
                                  extent.per_query * batch * queries +
                                  extent.per_pixel * batch * pixels);
}
/// Of a slot's workspace in a launch with these arguments.
inline std::size_t workspace_bytes(const LaunchPlan& plan, int slot,
                                   const LaunchArguments& arguments) {
  const long long pixels = plan.levels == kFixedLevels ? 0 : arguments.views.sizes.pixels;
  return extent_bytes(plan.workspace[slot], arguments.batch, arguments.queries, pixels);
}

/// What a launch sets to zero before its kernels: memory of its own, or a tensor.
struct Clear {
  void* memory;  ///< null: the tensor
  int tensor;
  std::size_t bytes;
  bool beside;  ///< may happen beside the main kernel

  void* first(const AllArguments& arguments) const {
    return memory != nullptr ? memory : arguments.tensor[tensor];
  }
};

/// All that a launch clears, workspaces in the order of the slots first.
class Clears {
 public:
  void add(void* memory, std::size_t bytes, bool beside) {
    items_[count_++] = {memory, 0, bytes, beside};
  }
  void add(const Clear& clear) { items_[count_++] = clear; }
  /// Number `tensor` of the operator's, an output to which kernels add. Nothing where they write
  /// all of it themselves.
  void add_accumulated(const LaunchPlan& plan, int tensor, std::size_t bytes) {
    if ((plan.overwritten >> tensor & 1U) != 0) return;
    items_[count_++] = {nullptr, tensor, bytes, plan.beside != 0};
  }
  bool empty() const { return count_ == 0; }
  const Clear* begin() const { return items_; }
  const Clear* end() const { return items_ + count_; }

 private:
  Clear items_[kMostSlots + kTensorLimit];
  int count_ = 0;
};

/// Gives each slot its workspace in `arguments`, whose batch, queries and level sizes are set, and
/// lists what the launch clears. `memory_for(slot, bytes)` returns the slot's memory. `remembers`:
/// workspaces that are cleared once are as the launch before left them, or zero.
template <class MemoryFor>
Clears add_workspaces(const LaunchPlan& plan, bool remembers, LaunchArguments& arguments,
                      const MemoryFor& memory_for) {
  Clears clears;
  for (int slot = 0; slot < kMostSlots; ++slot) {
    const std::size_t bytes = workspace_bytes(plan, slot, arguments);
    if (bytes == 0) continue;
    void* const memory = memory_for(slot, bytes);
    arguments.workspace[slot] = memory;
    const unsigned zeroed = plan.zeroed[slot];
    if (zeroed == kZeroedEachLaunch || (zeroed == kZeroedOnce && !remembers)) {
      clears.add(memory, bytes, (plan.beside >> slot & 1U) != 0);
    }
  }
  return clears;
}

/// Whether the main kernel reads the slot's workspace in place of the viewed tensor.
inline bool is_viewed(const LaunchPlan& plan, int slot) {
  return plan.viewed_workspace == 1U + static_cast<unsigned>(slot);
}
/// What the main kernel reads as values: the tensor, or the copy of it that a pre-pass makes.
inline const void* stored_values(const LaunchPlan& plan, const AllArguments& arguments) {
  return plan.viewed_workspace != 0 ? arguments.workspace[plan.viewed_workspace - 1]
                                    : arguments.tensor[plan.viewed_tensor];
}
/// Their size where the tensor has `tensor_bytes`.
inline std::size_t stored_bytes(const LaunchPlan& plan, const LaunchArguments& arguments,
                                std::size_t tensor_bytes) {
  if (plan.viewed_workspace == 0) return tensor_bytes;
  return workspace_bytes(plan, static_cast<int>(plan.viewed_workspace) - 1, arguments);
}

}  // namespace msda::runtime
