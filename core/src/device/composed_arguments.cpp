#include "device/composed_arguments.hpp"

#include <fmt/format.h>

#include <msda/error.hpp>
#include <msda/operators/forward.hpp>
#include <msda/slot_list.cuh>

#include "jit/launch_plan.hpp"

namespace msda {
namespace {

/// Of linear textures, on all architectures (CUDA C++ Programming Guide, "Technical
/// Specifications").
constexpr std::size_t kMostTexels = std::size_t{1} << 27;

void check_texels(const LaunchPlan& plan, std::size_t stored_bytes) {
  for (const unsigned bytes : plan.texel_bytes) {
    if (bytes == 0 || stored_bytes / bytes <= kMostTexels) continue;
    throw Unsupported(
        fmt::format("the stored values are {} texels of {} bytes, and a linear texture has {} at "
                    "most",
                    stored_bytes / bytes, bytes, kMostTexels));
  }
}

}  // namespace

ComposedArguments::ComposedArguments(const LaunchPlan& plan, const Problem& problem,
                                     const Allocate& allocate)
    : stored_bytes_(static_cast<std::size_t>(bytes_of(problem, forward::kValue))) {
  constant_.batch = problem.batch;
  constant_.queries = problem.queries;
  for (std::size_t slot = 0; slot < kMostSlots; ++slot) {
    const std::size_t bytes = workspace_bytes(plan.workspace[slot], problem.batch, problem.queries);
    if (bytes == 0) continue;
    workspaces_[slot] = allocate(bytes);
    constant_.workspace[slot] = workspaces_[slot]->data();
    if (plan.zeroed[slot] == kZeroedEachLaunch) cleared_.push_back(workspaces_[slot].get());
    if (plan.zeroed[slot] == kZeroedOnce) workspaces_[slot]->fill(0);
  }
  if (plan.has_prepass[kLayout] != 0) {
    layout_copy_ = constant_.workspace[kLayout];
    stored_bytes_ = workspaces_[kLayout]->size();
  }
  check_texels(plan, stored_bytes_);
}

Arguments ComposedArguments::of(const Tensors& tensors) const {
  Arguments arguments = constant_;
  const forward::View view(tensors);
  arguments.value = view.value;
  arguments.locations = view.locations;
  arguments.weights = view.weights;
  arguments.output = view.output;
  return arguments;
}

void ComposedArguments::set_texture(std::size_t level, std::uintptr_t texture,
                                    std::uintptr_t surface) {
  constant_.texture[level] = texture;
  constant_.surface[level] = surface;
}

const void* ComposedArguments::stored_values(const Tensors& tensors) const {
  return layout_copy_ != nullptr ? layout_copy_ : tensors[forward::kValue];
}

}  // namespace msda
