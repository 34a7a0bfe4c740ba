#include "device/cuda/composed_executable.hpp"

#include <fmt/format.h>

#include <msda/operators/forward.hpp>

#include "device/cuda/check.hpp"
#include "device/cuda/memory.hpp"
#include "jit/launch_plan.hpp"

namespace msda {

ComposedExecutable::ComposedExecutable(const CompiledUnit& unit, const Problem& problem,
                                       const DeviceInfo& device)
    : module_(unit.module),
      plan_(read_plan(module_.module())),
      main_kernel_(unit.composed.main_kernel),
      code_hash_(code_hash(unit)),
      arguments_(plan_, problem,
                 [](std::size_t bytes) { return std::make_unique<CudaMemory>(bytes); }),
      views_(plan_, problem.batch, arguments_.stored_bytes(), device.compute_capability >= 90) {
  sequence_.clears = arguments_.clears();
  for (std::size_t slot = 0; slot < kMostSlots; ++slot) {
    if (plan_.has_prepass[slot] == 0) continue;
    const Prepass& prepass = unit.composed.prepasses.at(static_cast<int>(slot));
    prepass_names_.push_back(prepass.name);
    sequence_.prepasses[sequence_.prepass_count++] =
        make_kernel(prepass.kernel, plan_.prepass[slot], problem, device);
  }
  sequence_.set_main(make_kernel(main_kernel_, plan_.main, problem, device));
  make_textures(problem);
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

runtime::Kernel ComposedExecutable::make_kernel(const std::string& name_expression,
                                                const LaunchShape& shape, const Problem& problem,
                                                const DeviceInfo& device) const {
  check_block(shape, device);
  const void* function = module_.kernel(name_expression);
  long long workers = 0;
  const runtime::Status status =
      runtime::find_workers(function, shape, device.multiprocessors, workers);
  if (status.failure == runtime::Failure::kNoCluster) {
    throw Unsupported(
        fmt::format("{} holds no cluster of {} blocks with {} threads and {} bytes "
                    "of shared memory each",
                    device.name, shape.cluster, shape.threads, shape.shared_bytes));
  }
  check(status);
  return {function, shape, block_count(shape, problem, workers)};
}

void ComposedExecutable::bind(const Tensors& tensors) {
  views_.make(runtime::stored_values(plan_, arguments_.of(tensors)));
}

AllArguments ComposedExecutable::arguments_for(const Tensors& tensors) {
  AllArguments arguments;
  static_cast<Arguments&>(arguments) = arguments_.of(tensors);
  views_.add_to(arguments, runtime::stored_values(plan_, arguments));
  if (persisting_) sequence_.main.window = persisting_->window(arguments.value);
  return arguments;
}

void ComposedExecutable::launch(const Tensors& tensors, Stream stream) {
  AllArguments arguments = arguments_for(tensors);
  check(runtime::enqueue(sequence_, arguments, static_cast<cudaStream_t>(stream)));
}

std::vector<LaunchPart> ComposedExecutable::parts() {
  std::vector<LaunchPart> parts;
  const auto add_kernel = [&](const std::string& name, const runtime::Kernel& kernel) {
    parts.push_back({name, [this, &kernel](const Tensors& tensors, Stream stream) {
                       AllArguments arguments = arguments_for(tensors);
                       check(
                           runtime::enqueue(kernel, arguments, static_cast<cudaStream_t>(stream)));
                     }});
  };
  if (!sequence_.clears.empty()) {
    parts.push_back(
        {"clear", [this](const Tensors&, Stream stream) {
           check(runtime::enqueue_clears(sequence_.clears, static_cast<cudaStream_t>(stream)));
         }});
  }
  for (std::size_t i = 0; i < prepass_names_.size(); ++i) {
    add_kernel(prepass_names_[i], sequence_.prepasses[i]);
  }
  if (parts.empty()) return parts;
  add_kernel("kernel", sequence_.main);
  return parts;
}

ResourceUse ComposedExecutable::resources() const {
  const KernelBuild& build = module_.module().kernels.at(main_kernel_);
  return {build.registers,   build.static_shared_bytes, plan_.main.shared_bytes,
          build.spill_bytes, module_.module().hash,     code_hash_};
}

}  // namespace msda
