// A composed kernel on a CUDA device: its module, its workspaces and its launches.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <msda/launch.cuh>
#include <msda/runtime/sequence.hpp>

#include "device/compiled_unit.hpp"
#include "device/composed_arguments.hpp"
#include "device/cuda/branch.hpp"
#include "device/cuda/module.hpp"
#include "device/cuda/persisting_l2.hpp"
#include "device/cuda/stored_views.hpp"
#include "device/cuda/textures.hpp"

namespace msda {

class ComposedExecutable final : public Executable {
 public:
  /// Loads the module and allocates the workspaces. Throws Unsupported when a block needs more
  /// shared memory than the device gives, or the grid would exceed its limit.
  ComposedExecutable(const CompiledUnit& unit, const Operator& op, const Problem& problem,
                     const DeviceInfo& device);

  void bind(const Tensors& tensors) override;
  void launch(const Tensors& tensors, Stream stream) override;
  ResourceUse resources() const;
  /// What launch() enqueues, one by one: "clear" (of workspaces and accumulated outputs), the
  /// passes before, "kernel", the passes after. Empty where the kernel is all.
  std::vector<LaunchPart> parts() override;

 private:
  runtime::Kernel make_kernel(const std::string& name_expression, const LaunchShape& shape,
                              const Problem& problem, const DeviceInfo& device) const;
  /// The arguments of a launch, for which the main kernel's persisting memory is set too.
  void fill(const Tensors& tensors, AllArguments& arguments);
  void make_textures(const Problem& problem);

  CudaModule module_;
  LaunchPlan plan_;
  std::string main_kernel_;
  std::string code_hash_;
  ComposedArguments arguments_;
  runtime::Sequence sequence_;
  std::unique_ptr<CudaBranch> branch_;  ///< null where nothing runs beside the main kernel
  runtime::Kernel* main_ = nullptr;     ///< of the sequence
  std::vector<std::string> names_;      ///< of the sequence's kernels
  std::array<std::unique_ptr<CudaTexture>, kLevelLimit> textures_;
  std::unique_ptr<PersistingL2> persisting_;  ///< null where nothing persists
  StoredViews views_;
};

}  // namespace msda
