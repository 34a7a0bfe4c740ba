// A composed kernel on a CUDA device: its module, its workspaces and its launches.
#pragma once

#include <array>
#include <memory>

#include <msda/launch.cuh>

#include "device/compiled_unit.hpp"
#include "device/composed_arguments.hpp"
#include "device/cuda/linear_textures.hpp"
#include "device/cuda/memory.hpp"
#include "device/cuda/module.hpp"
#include "device/cuda/persisting_l2.hpp"
#include "device/cuda/tensor_maps.hpp"
#include "device/cuda/textures.hpp"

namespace msda {

class ComposedExecutable final : public Executable {
 public:
  /// Loads the module and allocates the workspaces. Throws Unsupported when a block needs more
  /// shared memory than the device gives, or the grid would exceed its limit.
  ComposedExecutable(const CompiledUnit& unit, const Problem& problem, const DeviceInfo& device);

  void bind(const Tensors& tensors) override;
  void launch(const Tensors& tensors, Stream stream) override;
  ResourceUse resources() const;
  /// What launch() enqueues, one by one: "clear" (of workspaces), the pre-passes, "kernel". Empty
  /// where the kernel is all.
  std::vector<LaunchPart> parts() override;

 private:
  /// One kernel with the geometry that the problem's sizes give it.
  struct Launch {
    cudaKernel_t kernel = nullptr;
    unsigned blocks = 0;
    LaunchShape shape{};
  };
  /// A pre-pass that the plan has.
  struct PrepassLaunch {
    std::string name;
    Launch launch;
  };
  Launch make_launch(const std::string& name_expression, const LaunchShape& shape,
                     const Problem& problem, const DeviceInfo& device) const;
  /// `persist`: a window of memory whose lines this launch keeps in the persisting part of L2.
  static void enqueue(const Launch& launch, AllArguments& arguments, cudaStream_t stream,
                      const cudaAccessPolicyWindow* persist = nullptr);
  AllArguments arguments_for(const Tensors& tensors) const;
  void enqueue_clearing(cudaStream_t stream) const;
  void enqueue_main(AllArguments& arguments, cudaStream_t stream) const;
  void make_textures(const Problem& problem);

  CudaModule module_;
  LaunchPlan plan_;
  std::string main_kernel_;
  Launch main_;
  std::vector<PrepassLaunch> prepasses_;  ///< in the order of their slots
  std::string code_hash_;
  ComposedArguments arguments_;
  std::array<std::unique_ptr<CudaTexture>, kLevelLimit> textures_;
  std::unique_ptr<PersistingL2> persisting_;  ///< null where nothing persists
  std::unique_ptr<TensorMaps> maps_;          ///< null where TMA copies no boxes
  std::unique_ptr<LinearTextures> texels_;    ///< null where no texels are fetched
};

}  // namespace msda
