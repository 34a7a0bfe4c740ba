#include "gpu/composed_executable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gpu/cuda_check.hpp"
#include "jit/launch_plan.hpp"

namespace msda {

ComposedExecutable::ComposedExecutable(const ComposedUnit& composed, Module module,
                                       const Problem& problem, const DeviceInfo& device)
    : module_(std::move(module)),
      plan_(read_plan(module_.module())),
      main_kernel_(composed.main_kernel),
      main_(make_launch(composed.main_kernel, plan_.main, problem, device)),
      batch_(problem.batch),
      queries_(problem.queries) {
  const std::int64_t rows = problem.batch * problem.queries * problem.heads;
  for (std::size_t slot = 0; slot < kSlotCount; ++slot) {
    const std::size_t bytes = workspace_bytes(plan_.workspace[slot], problem.batch, rows);
    if (bytes > 0) workspaces_[slot] = std::make_unique<CudaMemory>(bytes);
    if (plan_.has_prepass[slot] != 0) {
      prepasses_[slot] = make_launch(composed.prepasses.at(static_cast<int>(slot)),
                                     plan_.prepass[slot], problem, device);
    }
  }
}

ComposedExecutable::Launch ComposedExecutable::make_launch(const std::string& name_expression,
                                                           const LaunchShape& shape,
                                                           const Problem& problem,
                                                           const DeviceInfo& device) const {
  if (shape.shared_bytes > device.shared_bytes) {
    throw Unsupported(fmt::format("a block needs {} bytes of shared memory; {} gives {}",
                                  shape.shared_bytes, device.name, device.shared_bytes));
  }
  const std::int64_t items = item_count(shape, problem.batch, problem.queries);
  const std::int64_t resident =
      static_cast<std::int64_t>(shape.resident_blocks) * device.multiprocessors;
  const std::int64_t blocks = shape.resident_blocks == 0 ? items : std::min(items, resident);
  if (blocks > std::numeric_limits<std::int32_t>::max()) {
    throw Unsupported(fmt::format("the grid would have {} blocks, more than a launch can", blocks));
  }
  Launch launch{module_.kernel(name_expression), static_cast<unsigned>(blocks), shape};
  allow_shared_memory(launch.kernel, shape.shared_bytes);
  return launch;
}

void ComposedExecutable::enqueue(const Launch& launch, Arguments& arguments, cudaStream_t stream) {
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(launch.blocks);
  configuration.blockDim = dim3(launch.shape.threads);
  configuration.dynamicSmemBytes = launch.shape.shared_bytes;
  configuration.stream = stream;
  cudaLaunchAttribute cluster{};
  if (launch.shape.cluster > 1) {
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {launch.shape.cluster, 1, 1};
    configuration.attrs = &cluster;
    configuration.numAttrs = 1;
  }
  void* parameters[] = {&arguments};
  check(
      cudaLaunchKernelExC(&configuration, reinterpret_cast<const void*>(launch.kernel), parameters),
      "cudaLaunchKernelExC");
}

void ComposedExecutable::launch(const Tensors& tensors, Stream stream) {
  auto* cuda_stream = static_cast<cudaStream_t>(stream);
  Arguments arguments{
      tensors.value, tensors.locations, tensors.weights, tensors.output, batch_, queries_, {}};
  for (std::size_t slot = 0; slot < kSlotCount; ++slot) {
    if (workspaces_[slot]) arguments.workspace[slot] = workspaces_[slot]->data();
    if (plan_.zeroed_bytes[slot] != 0) {
      check(cudaMemsetAsync(arguments.workspace[slot], 0, plan_.zeroed_bytes[slot], cuda_stream),
            "cudaMemsetAsync");
    }
  }
  for (std::size_t slot = 0; slot < kSlotCount; ++slot) {
    if (plan_.has_prepass[slot] != 0) enqueue(prepasses_[slot], arguments, cuda_stream);
  }
  enqueue(main_, arguments, cuda_stream);
}

ResourceUse ComposedExecutable::resources() const {
  const KernelBuild& build = module_.module().kernels.at(main_kernel_);
  return {build.registers, build.static_shared_bytes, plan_.main.shared_bytes, build.spill_bytes,
          module_.module().hash};
}

}  // namespace msda
