// What the launches of a composed kernel share on every device: workspaces, and the arguments.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include <msda/launch.cuh>
#include <msda/problem.hpp>

#include "device/device.hpp"

namespace msda {

class ComposedArguments {
 public:
  using Allocate = std::function<std::unique_ptr<DeviceMemory>(std::size_t bytes)>;

  /// Allocates the workspaces that the plan asks for at the problem's sizes. Throws Unsupported
  /// when the stored values are more texels than a linear texture has, where the plan asks for one.
  ComposedArguments(const LaunchPlan& plan, const Problem& problem, const Allocate& allocate);

  /// Those of one launch of any of the kernels; tensor maps are the device's to add.
  Arguments of(const Tensors& tensors) const;
  void set_texture(std::size_t level, std::uintptr_t texture, std::uintptr_t surface);

  /// What the main kernel reads as values: the tensor, or its copy in another layout or encoding.
  const void* stored_values(const Tensors& tensors) const;
  std::size_t stored_bytes() const { return stored_bytes_; }
  /// Null where the slot has none.
  DeviceMemory* workspace(std::size_t slot) const { return workspaces_[slot].get(); }
  /// The workspaces that are zero when a launch begins.
  const std::vector<DeviceMemory*>& cleared() const { return cleared_; }

 private:
  std::array<std::unique_ptr<DeviceMemory>, kMostSlots> workspaces_;
  std::vector<DeviceMemory*> cleared_;
  const void* layout_copy_ = nullptr;
  std::size_t stored_bytes_;
  Arguments constant_{};  ///< what is the same in every launch, so that one has little to do
};

}  // namespace msda
