// What the launches of a composed kernel share on every device: workspaces, and the arguments.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>

#include <msda/launch.cuh>
#include <msda/problem.hpp>
#include <msda/runtime/workspaces.hpp>

#include "device/device.hpp"

namespace msda {

class ComposedArguments {
 public:
  using Allocate = std::function<std::unique_ptr<DeviceMemory>(std::size_t bytes)>;

  /// Allocates the workspaces that the plan asks for at the problem's sizes. `specs` are the
  /// operator's. Throws Unsupported when the stored values are more texels than a linear texture
  /// has, where the plan asks for one, and Error when the kernels are of another operator.
  ComposedArguments(const LaunchPlan& plan, std::span<const TensorSpec> specs,
                    const Problem& problem, const Allocate& allocate);

  /// Those of one launch of any of the kernels; tensor maps are the device's to add.
  void fill(const Tensors& tensors, AllArguments& arguments) const;
  void set_texture(std::size_t level, std::uintptr_t texture, std::uintptr_t surface);

  /// Size of what the main kernel reads as values.
  std::size_t stored_bytes() const { return stored_bytes_; }
  /// Null where the slot has none.
  DeviceMemory* workspace(std::size_t slot) const { return workspaces_[slot].get(); }
  /// What each launch sets to zero: workspaces, and outputs to which kernels add.
  const runtime::Clears& clears() const { return clears_; }

 private:
  std::array<std::unique_ptr<DeviceMemory>, kMostSlots> workspaces_;
  runtime::Clears clears_;
  std::size_t stored_bytes_ = 0;
  unsigned tensors_ = 0;        ///< that the kernels take
  bool reads_shapes_ = false;   ///< level sizes are stored
  LaunchArguments constant_{};  ///< what is the same in every launch, so that one has little to do
};

}  // namespace msda
