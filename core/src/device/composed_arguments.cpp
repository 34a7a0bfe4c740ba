#include "device/composed_arguments.hpp"

#include <fmt/format.h>

#include <msda/error.hpp>
#include <msda/operators/forward.hpp>

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
                                     const Allocate& allocate) {
  constant_.batch = problem.batch;
  constant_.queries = problem.queries;
  constexpr bool kRemembers = true;  // as soon as it is allocated
  clears_ = runtime::add_workspaces(plan, kRemembers, constant_, [&](int slot, std::size_t bytes) {
    std::unique_ptr<DeviceMemory>& memory = workspaces_[static_cast<std::size_t>(slot)];
    memory = allocate(bytes);
    if (plan.zeroed[slot] == kZeroedOnce) memory->fill(0);
    return memory->data();
  });
  const auto value_bytes = static_cast<std::size_t>(bytes_of(problem, forward::kValue));
  stored_bytes_ = runtime::stored_bytes(plan, constant_, value_bytes);
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

}  // namespace msda
