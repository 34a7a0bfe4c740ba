#include "device/cuda/composed_executable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include <msda/operators/forward.hpp>

#include "device/cuda/check.hpp"
#include "jit/launch_plan.hpp"

namespace msda {

ComposedExecutable::ComposedExecutable(const CompiledUnit& unit, const Problem& problem,
                                       const DeviceInfo& device)
    : module_(unit.module),
      plan_(read_plan(module_.module())),
      main_kernel_(unit.composed.main_kernel),
      main_(make_launch(main_kernel_, plan_.main, problem, device)),
      code_hash_(code_hash(unit)),
      arguments_(plan_, problem,
                 [](std::size_t bytes) { return std::make_unique<CudaMemory>(bytes); }) {
  for (std::size_t slot = 0; slot < kMostSlots; ++slot) {
    if (plan_.has_prepass[slot] == 0) continue;
    const Prepass& prepass = unit.composed.prepasses.at(static_cast<int>(slot));
    prepasses_.push_back(
        {prepass.name, make_launch(prepass.kernel, plan_.prepass[slot], problem, device)});
  }
  // It depends on the launch before it, and clearing a workspace is none.
  if (prepasses_.empty() && !arguments_.cleared().empty()) main_.shape.dependent = 0;
  make_textures(problem);
  if (copies_boxes(plan_) && device.compute_capability >= 90) {
    check_boxes(plan_);
    maps_ = std::make_unique<TensorMaps>(plan_, problem.batch);
  }
  if (fetches_texels(plan_)) {
    texels_ = std::make_unique<LinearTextures>(plan_, arguments_.stored_bytes());
  }
  if (plan_.persist_value != 0) {
    persisting_ = std::make_unique<PersistingL2>(bytes_of(problem, forward::kValue));
  }
}

void ComposedExecutable::make_textures(const Problem& problem) {
  for (std::size_t level = 0; level < kLevelLimit; ++level) {
    const TextureShape& shape = plan_.texture[level];
    if (shape.width == 0) continue;
    const auto layers = static_cast<unsigned>(shape.layers_per_image * problem.batch);
    textures_[level] = std::make_unique<CudaTexture>(shape, layers);
    arguments_.set_texture(level, textures_[level]->texture(), textures_[level]->surface());
  }
}

namespace {

/// Of a launch: its cluster, its dependence on the launch before, its window of persisting L2.
using Attributes = std::array<cudaLaunchAttribute, 3>;

/// The launch of `blocks` blocks; `attributes` has room for another one.
cudaLaunchConfig_t launch_configuration(const LaunchShape& shape, unsigned blocks,
                                        Attributes& attributes) {
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(blocks);
  configuration.blockDim = dim3(shape.threads);
  configuration.dynamicSmemBytes = shape.shared_bytes;
  configuration.attrs = attributes.data();
  if (shape.cluster > 1) {
    cudaLaunchAttribute& cluster = attributes[configuration.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {shape.cluster, 1, 1};
  }
  if (shape.dependent != 0) {
    cudaLaunchAttribute& dependence = attributes[configuration.numAttrs++];
    dependence.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    dependence.val.programmaticStreamSerializationAllowed = 1;
  }
  return configuration;
}

/// Blocks of a persistent grid, or clusters: how many of those are resident at a time depends on
/// how the multiprocessors lie in groups, which the driver knows.
std::int64_t resident_workers(cudaKernel_t kernel, const LaunchShape& shape,
                              const DeviceInfo& device) {
  const std::int64_t blocks =
      static_cast<std::int64_t>(shape.resident_blocks) * device.multiprocessors;
  if (shape.cluster <= 1) return blocks;
  const auto* function = reinterpret_cast<const void*>(kernel);
  if (shape.cluster > 8) {
    check(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
          "cudaFuncSetAttribute(NonPortableClusterSizeAllowed)");
  }
  Attributes attributes{};
  const cudaLaunchConfig_t configuration = launch_configuration(shape, shape.cluster, attributes);
  int clusters = 0;
  check(cudaOccupancyMaxActiveClusters(&clusters, function, &configuration),
        "cudaOccupancyMaxActiveClusters");
  if (clusters == 0) {
    throw Unsupported(
        fmt::format("{} holds no cluster of {} blocks with {} threads and {} bytes "
                    "of shared memory each",
                    device.name, shape.cluster, shape.threads, shape.shared_bytes));
  }
  return std::min<std::int64_t>(clusters, std::max<std::int64_t>(blocks / shape.cluster, 1));
}

}  // namespace

ComposedExecutable::Launch ComposedExecutable::make_launch(const std::string& name_expression,
                                                           const LaunchShape& shape,
                                                           const Problem& problem,
                                                           const DeviceInfo& device) const {
  check_block(shape, device);
  Launch launch{module_.kernel(name_expression), 0, shape};
  allow_shared_memory(launch.kernel, shape.shared_bytes);
  launch.blocks = block_count(shape, problem, resident_workers(launch.kernel, shape, device));
  return launch;
}

void ComposedExecutable::enqueue(const Launch& launch, AllArguments& arguments, cudaStream_t stream,
                                 const cudaAccessPolicyWindow* persist) {
  Attributes attributes{};
  cudaLaunchConfig_t configuration = launch_configuration(launch.shape, launch.blocks, attributes);
  configuration.stream = stream;
  if (persist != nullptr) {
    cudaLaunchAttribute& window = attributes[configuration.numAttrs++];
    window.id = cudaLaunchAttributeAccessPolicyWindow;
    window.val.accessPolicyWindow = *persist;
  }
  void* parameters[] = {&arguments};
  check(
      cudaLaunchKernelExC(&configuration, reinterpret_cast<const void*>(launch.kernel), parameters),
      "cudaLaunchKernelExC");
}

void ComposedExecutable::bind(const Tensors& tensors) {
  if (maps_) maps_->encode(arguments_.stored_values(tensors));
  if (texels_) texels_->make(arguments_.stored_values(tensors));
}

AllArguments ComposedExecutable::arguments_for(const Tensors& tensors) const {
  AllArguments arguments;
  static_cast<Arguments&>(arguments) = arguments_.of(tensors);
  if (maps_) maps_->add_to(arguments, arguments_.stored_values(tensors));
  if (texels_) texels_->add_to(arguments, arguments_.stored_values(tensors));
  return arguments;
}

void ComposedExecutable::enqueue_clearing(cudaStream_t stream) const {
  for (DeviceMemory* memory : arguments_.cleared()) {
    check(cudaMemsetAsync(memory->data(), 0, memory->size(), stream), "cudaMemsetAsync");
  }
}

void ComposedExecutable::enqueue_main(AllArguments& arguments, cudaStream_t stream) const {
  if (!persisting_) return enqueue(main_, arguments, stream);
  const cudaAccessPolicyWindow window = persisting_->window(arguments.value);
  enqueue(main_, arguments, stream, &window);
}

void ComposedExecutable::launch(const Tensors& tensors, Stream stream) {
  auto* cuda_stream = static_cast<cudaStream_t>(stream);
  AllArguments arguments = arguments_for(tensors);
  enqueue_clearing(cuda_stream);
  for (const PrepassLaunch& prepass : prepasses_) enqueue(prepass.launch, arguments, cuda_stream);
  enqueue_main(arguments, cuda_stream);
}

std::vector<LaunchPart> ComposedExecutable::parts() {
  std::vector<LaunchPart> parts;
  const auto add = [&](const std::string& name, const auto& enqueue_part) {
    parts.push_back({name, [this, enqueue_part](const Tensors& tensors, Stream stream) {
                       AllArguments arguments = arguments_for(tensors);
                       enqueue_part(arguments, static_cast<cudaStream_t>(stream));
                     }});
  };
  if (!arguments_.cleared().empty()) {
    add("clear", [this](AllArguments&, cudaStream_t stream) { enqueue_clearing(stream); });
  }
  for (const PrepassLaunch& prepass : prepasses_) {
    add(prepass.name, [&prepass](AllArguments& arguments, cudaStream_t stream) {
      enqueue(prepass.launch, arguments, stream);
    });
  }
  if (parts.empty()) return parts;
  add("kernel",
      [this](AllArguments& arguments, cudaStream_t stream) { enqueue_main(arguments, stream); });
  return parts;
}

ResourceUse ComposedExecutable::resources() const {
  const KernelBuild& build = module_.module().kernels.at(main_kernel_);
  return {build.registers,   build.static_shared_bytes, plan_.main.shared_bytes,
          build.spill_bytes, module_.module().hash,     code_hash_};
}

}  // namespace msda
