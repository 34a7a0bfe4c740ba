#include "device/composed_arguments.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <msda/error.hpp>

#include "compose/level_class.hpp"

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

/// Outputs that no kernel gets would stay as they are.
void check_tensors(const LaunchPlan& plan, std::span<const TensorSpec> specs) {
  static_assert(kMostTensors == kTensorLimit);
  const auto is_output = [](const TensorSpec& spec) {
    return spec.role == TensorSpec::Role::kOutput;
  };
  const auto last = std::find_if(specs.rbegin(), specs.rend(), is_output);
  const auto least = static_cast<std::size_t>(specs.rend() - last);
  if (plan.tensors < least || plan.tensors > specs.size()) {
    throw Error(
        fmt::format("the kernels' arguments have {} tensors, and the operator has {}, the "
                    "first {} of which a kernel needs",
                    plan.tensors, specs.size(), least));
  }
}

}  // namespace

ComposedArguments::ComposedArguments(const LaunchPlan& plan, std::span<const TensorSpec> specs,
                                     const Problem& problem, const Allocate& allocate)
    : tensors_(plan.tensors) {
  check_tensors(plan, specs);
  constant_.batch = problem.batch;
  constant_.queries = problem.queries;
  if (plan.levels != kFixedLevels) {
    LevelSizes sizes = sizes_of(problem);
    sizes.resident = resident_levels(sizes, static_cast<int>(problem.level_count()), plan.resident);
    constant_.views.sizes = sizes;
    reads_shapes_ = plan.levels == kStoredLevels;
  }
  constexpr bool kRemembers = true;  // as soon as it is allocated
  clears_ = runtime::add_workspaces(plan, kRemembers, constant_, [&](int slot, std::size_t bytes) {
    std::unique_ptr<DeviceMemory>& memory = workspaces_[static_cast<std::size_t>(slot)];
    memory = allocate(bytes);
    if (plan.zeroed[slot] == kZeroedOnce) memory->fill(0);
    return memory->data();
  });
  const auto bytes = [&](std::size_t tensor) {
    return static_cast<std::size_t>(bytes_of(problem, specs[tensor]));
  };
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].accumulated) clears_.add_accumulated(plan, static_cast<int>(i), bytes(i));
  }
  stored_bytes_ = runtime::stored_bytes(plan, constant_, bytes(plan.viewed_tensor));
  check_texels(plan, stored_bytes_);
}

void ComposedArguments::fill(const Tensors& tensors, AllArguments& arguments) const {
  static_cast<LaunchArguments&>(arguments) = constant_;
  std::copy_n(tensors.data.begin(), tensors_, std::begin(arguments.tensor));
  if (reads_shapes_) {
    static_assert(sizeof(std::int64_t) == sizeof(long long));
    arguments.views.sizes.shapes = reinterpret_cast<const long long*>(tensors.shapes);
  }
}

void ComposedArguments::set_texture(std::size_t level, std::uintptr_t texture,
                                    std::uintptr_t surface) {
  constant_.views.arrays.texture[level] = texture;
  constant_.views.arrays.surface[level] = surface;
}

}  // namespace msda
