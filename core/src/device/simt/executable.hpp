// A composed kernel on the device "simt": its unit, its workspaces and its launches.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <msda/simt/host/executor.cuh>

#include "device/compiled_unit.hpp"
#include "device/composed_arguments.hpp"
#include "device/simt/device_memory.hpp"
#include "device/simt/launch.hpp"
#include "device/simt/loaded_unit.hpp"
#include "jit/launch_plan.hpp"

namespace msda {

class SimtExecutable final : public Executable {
 public:
  /// Loads the unit and allocates the workspaces. Throws Unsupported as a GPU's executable does.
  SimtExecutable(const CompiledUnit& unit, const Operator& op, const Problem& problem,
                 const DeviceInfo& device, const simt::Options& options);

  /// Runs the kernels. Throws simt::Fault, with the kernel's name before it.
  void launch(const Tensors& tensors, Stream stream) override;
  ResourceUse resources() const;
  /// What the threads of the last launch were counted to do, when the options ask for it: those of
  /// the main kernel by their names, those of passes before it, together, as "prepass.NAME", and
  /// those of passes after it as "postpass.NAME".
  const Numbers& numbers() const { return numbers_; }

 private:
  struct Launch {
    std::string name;
    simt::Grid grid;
    LaunchShape shape;
    bool is_main;          ///< or a part of the main kernel
    std::string prefix;    ///< of its numbers' names
    bool is_shared_known;  ///< the plan's parts of shared memory are its own
  };
  struct Texture {
    std::unique_ptr<SimtMemory> texels;
    simt::host::Texture description{};
  };
  Launch make_launch(const PlannedKernel& kernel, const DeviceInfo& device) const;
  void make_textures();
  void add_maps(AllArguments& arguments, const void* values) const;
  void make_linear_textures(const void* values);
  /// Counted as those of the main kernel, or of a pass.
  std::vector<simt::Buffer> buffers_for(const Tensors& tensors, bool is_main) const;
  simt::Subject subject_of(const Launch& launch) const;
  /// Names of buffers.
  using Touched = std::set<std::string>;
  Touched run(const Launch& launch, const void* parameters,
              const std::vector<simt::Buffer>& buffers);

  simt::LoadedUnit unit_;
  std::vector<std::string> slots_;  ///< names, by number
  LaunchPlan plan_;
  std::span<const TensorSpec> specs_;
  std::vector<std::string> counted_as_;  ///< what accesses of each tensor are counted under
  Problem problem_;
  simt::Options options_;
  std::vector<Launch> launches_;  ///< in order
  ComposedArguments arguments_;
  std::array<Texture, kLevelLimit> textures_;
  std::array<simt::host::LinearTexture, kTexelViews> texels_{};
  Numbers numbers_;
};

}  // namespace msda
