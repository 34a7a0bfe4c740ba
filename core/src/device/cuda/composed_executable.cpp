#include "device/cuda/composed_executable.hpp"

#include <fmt/format.h>
#include <msda/runtime/level_sizes.hpp>

#include "compose/level_class.hpp"
#include "device/cuda/check.hpp"
#include "device/cuda/memory.hpp"
#include "jit/launch_plan.hpp"

namespace msda {
namespace {

runtime::Stage stage_of(const PlannedKernel& kernel, const LaunchPlan& plan) {
  if (kernel.pass == nullptr) return runtime::Stage::kMain;
  if (kernel.pass->when == kAfter) return runtime::Stage::kAfter;
  return (plan.beside >> kernel.pass->slot & 1U) != 0 ? runtime::Stage::kBeside
                                                      : runtime::Stage::kBefore;
}

}  // namespace

ComposedExecutable::ComposedExecutable(const CompiledUnit& unit, const Operator& op,
                                       const Problem& problem, const DeviceInfo& device)
    : module_(unit.module),
      plan_(runtime::at_sizes(read_plan(module_.module()), sizes_of(problem),
                              static_cast<int>(problem.level_count()))),
      main_kernel_(unit.composed.main_kernel),
      code_hash_(code_hash(unit)),
      arguments_(plan_, op.tensors(), problem,
                 [](std::size_t bytes) { return std::make_unique<CudaMemory>(bytes); }),
      views_(plan_, problem.batch, arguments_.stored_bytes(), device.compute_capability >= 90) {
  sequence_.clears = arguments_.clears();
  for (const PlannedKernel& kernel : kernels_of(unit.composed, plan_)) {
    runtime::Kernel& added =
        sequence_.add(make_kernel(kernel.expression, *kernel.shape, problem, device));
    added.stage = stage_of(kernel, plan_);
    names_.push_back(kernel.name);
    if (kernel.pass == nullptr) main_ = &added;
    if (added.stage == runtime::Stage::kBeside) branch_ = std::make_unique<CudaBranch>();
  }
  make_textures(problem);
  if (plan_.persisting_tensor != 0) {
    const TensorSpec& spec = op.tensors()[plan_.persisting_tensor - 1];
    persisting_ = std::make_unique<PersistingL2>(bytes_of(problem, spec));
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
  AllArguments arguments;
  arguments_.fill(tensors, arguments);
  views_.make(runtime::stored_values(plan_, arguments));
}

void ComposedExecutable::fill(const Tensors& tensors, AllArguments& arguments) {
  arguments_.fill(tensors, arguments);
  views_.add_to(arguments, runtime::stored_values(plan_, arguments));
  if (persisting_) {
    main_->window = persisting_->window(arguments.tensor[plan_.persisting_tensor - 1]);
  }
}

void ComposedExecutable::launch(const Tensors& tensors, Stream stream) {
  AllArguments arguments;
  fill(tensors, arguments);
  auto* const own = static_cast<cudaStream_t>(stream);
  check(branch_ ? runtime::enqueue(sequence_, plan_, arguments, own, branch_->get())
                : runtime::enqueue(sequence_, plan_, arguments, own));
}

std::vector<LaunchPart> ComposedExecutable::parts() {
  std::vector<LaunchPart> parts;
  if (sequence_.clears.empty() && names_.size() == 1) return parts;
  /// `enqueue(arguments, stream)` returns a runtime::Status.
  const auto add = [&](const std::string& name, const auto& enqueue) {
    parts.push_back({name, [this, enqueue](const Tensors& tensors, Stream stream) {
                       AllArguments arguments;
                       fill(tensors, arguments);
                       check(enqueue(arguments, static_cast<cudaStream_t>(stream)));
                     }});
  };
  if (!sequence_.clears.empty()) {
    add("clear", [this](const AllArguments& arguments, cudaStream_t stream) {
      return runtime::enqueue_clears(sequence_.clears, arguments, stream);
    });
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const runtime::Kernel* const kernel = sequence_.begin() + i;
    add(names_[i], [this, kernel](const AllArguments& arguments, cudaStream_t stream) {
      return runtime::enqueue(*kernel, runtime::Parameters(plan_, arguments), stream);
    });
  }
  return parts;
}

ResourceUse ComposedExecutable::resources() const {
  const KernelBuild& build = module_.module().kernels.at(main_kernel_);
  return {build.registers,   build.static_shared_bytes, plan_.main.shared_bytes,
          build.spill_bytes, module_.module().hash,     code_hash_};
}

}  // namespace msda
