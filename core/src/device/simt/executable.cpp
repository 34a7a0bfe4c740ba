#include "device/simt/executable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include <msda/runtime/grid.hpp>
#include <msda/runtime/level_sizes.hpp>
#include <msda/runtime/parameters.hpp>

#include "compose/level_class.hpp"
#include "device/simt/last_image.hpp"
#include "jit/launch_plan.hpp"

namespace msda {
namespace {

constexpr const char* kArgumentsName = "the arguments";

/// What is counted of a slot's part of shared memory.
simt::Subject::Holds holds_of(const std::string& slot) {
  using Holds = simt::Subject::Holds;
  if (slot == "source") return Holds::kValues;
  if (slot == "fetch") return Holds::kFetched;
  return slot == "metadata" || slot == "point-fetch" ? Holds::kPoints : Holds::kOther;
}

simt::Area area_of(const TensorSpec& spec) {
  if (spec.role == TensorSpec::Role::kOutput) return simt::Area::kOutput;
  if (spec.type == nullptr) return simt::Area::kOther;
  if (spec.has(Axis::kPixel)) return simt::Area::kValue;
  return spec.has(Axis::kXY) ? simt::Area::kLocations : simt::Area::kOther;
}

/// Bytes of a row of the first tensor of an area; 0 without one.
std::size_t row_bytes(std::span<const TensorSpec> specs, const Problem& problem, simt::Area area) {
  for (const TensorSpec& spec : specs) {
    if (area_of(spec) != area) continue;
    return static_cast<std::size_t>(row_elements(problem, spec)) * element_bytes(problem, spec);
  }
  return 0;
}

/// The tensors' names. Policies of borrowed skeletons know a tensor of the same axes at the same
/// place by the lender's name.
std::vector<std::string> areas_of(const Operator& op) {
  std::vector<std::string> names;
  for (const TensorSpec& spec : op.tensors()) names.emplace_back(spec.name);
  if (const auto borrowed = op.borrows()) {
    const auto lent = find_operator(borrowed->op).tensors();
    for (std::size_t i = 0; i < std::min(names.size(), lent.size()); ++i) {
      if (lent[i].axes == op.tensors()[i].axes) names[i] = lent[i].name;
    }
  }
  return names;
}

}  // namespace

SimtExecutable::SimtExecutable(const CompiledUnit& unit, const Operator& op, const Problem& problem,
                               const DeviceInfo& device, const simt::Options& options)
    : unit_(unit.module),
      slots_(unit.composed.slots),
      plan_(runtime::at_sizes(unit_.plan(), sizes_of(problem),
                              static_cast<int>(problem.level_count()))),
      specs_(op.tensors()),
      counted_as_(areas_of(op)),
      problem_(problem),
      options_(options),
      arguments_(plan_, specs_, problem, [&](std::size_t bytes) {
        auto memory = std::make_unique<SimtMemory>(bytes);
        if (!options.last_image) memory->fill(0xFF);
        return memory;
      }) {
  check_boxes(plan_);
  ComposedUnit composed = unit.composed;  // whose plan is known as soon as the unit is loaded
  choose_kernel(composed, plan_, problem);
  for (const PlannedKernel& kernel : kernels_of(composed, plan_)) {
    launches_.push_back(make_launch(kernel, device));
  }
  for (Launch& launch : launches_) {
    if (options_.count) launch.grid.counted = subject_of(launch);
  }
  make_textures();
}

SimtExecutable::Launch SimtExecutable::make_launch(const PlannedKernel& kernel,
                                                   const DeviceInfo& device) const {
  const LaunchShape& shape = *kernel.shape;
  check_block(shape, device);
  simt::Grid grid;
  grid.kernel = unit_.kernel(kernel.expression);
  grid.blocks =
      block_count(shape, problem_, runtime::resident_workers(shape, device.multiprocessors));
  grid.threads = shape.threads;
  grid.cluster = std::max(1U, shape.cluster);
  grid.shared_bytes = shape.shared_bytes;
  grid.dependent = shape.dependent != 0;
  if (kernel.pass == nullptr) return {kernel.name, grid, shape, true, "", plan_.divided == 0};
  const bool is_before = kernel.pass->when == kBefore;
  const bool is_part = is_before && plan_.divided == 1U + static_cast<unsigned>(kernel.pass->slot);
  return {fmt::format("{} of {}", is_before ? "pre-pass" : "pass after the kernel", kernel.name),
          grid,
          shape,
          is_part,
          is_part     ? ""
          : is_before ? "prepass."
                      : "postpass.",
          is_part};
}

void SimtExecutable::make_textures() {
  constexpr unsigned kTexelChannels = 4;
  for (std::size_t level = 0; level < kLevelLimit; ++level) {
    const TextureShape& shape = plan_.texture[level];
    if (shape.width == 0) continue;
    const auto layers = static_cast<unsigned>(shape.layers_per_image * problem_.batch);
    const std::size_t bytes =
        std::size_t{layers} * shape.height * shape.width * kTexelChannels * shape.bits / 8;
    Texture& texture = textures_[level];
    texture.texels = std::make_unique<SimtMemory>(bytes);
    texture.texels->fill(0xFF);
    texture.description = {static_cast<unsigned char*>(texture.texels->data()), shape.width,
                           shape.height, layers, shape.bits};
    const auto object = reinterpret_cast<std::uintptr_t>(&texture.description);
    arguments_.set_texture(level, object, object);
  }
}

void SimtExecutable::add_maps(AllArguments& arguments, const void* values) const {
  static_assert(sizeof(simt::host::Tensor) <= sizeof(TensorMap));
  for (std::size_t level = 0; level < kLevelLimit; ++level) {
    const BoxShape& shape = plan_.boxes[level];
    if (shape.element_bytes == 0) continue;
    simt::host::Tensor tensor{};
    tensor.first = static_cast<const unsigned char*>(values) + shape.start_bytes;
    tensor.rank = shape.rank;
    tensor.element_bytes = shape.element_bytes;
    std::fill(std::begin(tensor.box), std::end(tensor.box), 1U);
    const unsigned inner = std::min<unsigned>(shape.rank - 1, std::size(shape.extent));
    for (unsigned d = 0; d < inner; ++d) {
      tensor.extent[d] = shape.extent[d];
      tensor.box[d] = shape.box[d];
      tensor.stride_bytes[d] = shape.stride_bytes[d];
    }
    tensor.extent[inner] = static_cast<unsigned>(problem_.batch);  // the images
    std::memcpy(&arguments.maps[level], &tensor, sizeof tensor);
  }
}

void SimtExecutable::make_linear_textures(const void* values) {
  for (std::size_t view = 0; view < kTexelViews; ++view) {
    const unsigned bytes = plan_.texel_bytes[view];
    if (bytes == 0) continue;
    texels_[view] = {static_cast<const unsigned char*>(values), arguments_.stored_bytes() / bytes,
                     bytes};
  }
}

std::vector<simt::Buffer> SimtExecutable::buffers_for(const Tensors& tensors, bool is_main) const {
  std::vector<simt::Buffer> buffers;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const TensorSpec& spec = specs_[i];
    if (tensors[i] == nullptr) continue;
    const std::string name(spec.name);
    buffers.push_back({tensors[i], static_cast<std::size_t>(bytes_of(problem_, spec)), name,
                       spec.role == TensorSpec::Role::kOutput, counted_as_[i], area_of(spec)});
  }
  if (plan_.levels == kStoredLevels) {
    const std::size_t bytes = 2 * problem_.levels.size() * sizeof(std::int64_t);
    buffers.push_back({const_cast<std::int64_t*>(tensors.shapes), bytes, "spatial_shapes", false,
                       "spatial_shapes", simt::Area::kOther});
  }
  for (std::size_t slot = 0; slot < kMostSlots; ++slot) {
    DeviceMemory* const memory = arguments_.workspace(slot);
    if (memory == nullptr) continue;
    buffers.push_back({memory->data(), memory->size(),
                       fmt::format("the workspace of slot {}", slots_[slot]), true,
                       "workspace." + slots_[slot]});
    // What the main kernel finds there stands for the values.
    if (is_main && runtime::is_viewed(plan_, static_cast<int>(slot))) {
      buffers.back().counted_as = "value";
      buffers.back().area = simt::Area::kValue;
    }
  }
  return buffers;
}

simt::Subject SimtExecutable::subject_of(const Launch& launch) const {
  simt::Subject subject;
  subject.slot_names = slots_;
  subject.location_row_bytes = row_bytes(specs_, problem_, simt::Area::kLocations);
  subject.output_row_bytes = row_bytes(specs_, problem_, simt::Area::kOutput);
  subject.heads = problem_.heads;
  if (!launch.is_main) return subject;
  subject.point_bytes = plan_.point_bytes;
  for (int slot = 0; slot < kMostSlots; ++slot) {
    if (plan_.shared[slot].bytes == 0 || !launch.is_shared_known) continue;
    subject.shared.push_back(
        {plan_.shared[slot].first, slot, holds_of(slots_[static_cast<std::size_t>(slot)])});
  }
  std::ranges::sort(subject.shared, {}, &simt::Subject::SharedPart::first);
  return subject;
}

SimtExecutable::Touched SimtExecutable::run(const Launch& launch, const void* parameters,
                                            const std::vector<simt::Buffer>& buffers) {
  Touched touched;
  const auto run_part = [&](std::optional<simt::Blocks> part) {
    simt::Grid grid = launch.grid;
    grid.part = part;
    simt::Counts counts =
        simt::run(grid, parameters, unit_.image(), unit_.attach(), buffers, options_);
    for (const auto& [name, accesses] : counts.accesses) {
      if (accesses > 0) touched.insert(name);
    }
    return counts;
  };
  if (!options_.last_image) {
    for (const auto& [name, number] : run_part(std::nullopt).numbers) {
      numbers_[launch.prefix + name] += number;
    }
    return touched;
  }
  const auto works = [&](unsigned block) {
    const simt::Counts counts = run_part(simt::Blocks{block, block + 1});
    return std::any_of(counts.accesses.begin(), counts.accesses.end(), [](const auto& buffer) {
      return buffer.first != kArgumentsName && buffer.second > 0;
    });
  };
  run_part(simt::blocks_of_last_image(launch.shape, problem_, launch.grid.blocks, works));
  return touched;
}

void SimtExecutable::launch(const Tensors& tensors, Stream) {
  AllArguments arguments{};
  arguments_.fill(tensors, arguments);
  const void* values = runtime::stored_values(plan_, arguments);
  make_linear_textures(values);
  add_maps(arguments, values);
  for (std::size_t view = 0; view < kTexelViews; ++view) {
    arguments.texels[view] = reinterpret_cast<std::uintptr_t>(&texels_[view]);
  }
  numbers_.clear();
  for (const runtime::Clear& clear : arguments_.clears()) {
    if (void* const first = clear.first(arguments)) std::memset(first, 0, clear.bytes);
  }
  const runtime::Parameters parameters(plan_, arguments);
  std::optional<Touched> before;  // what the kernel before may still write or read; empty: anything
  for (const Launch& launch : launches_) {
    std::vector<simt::Buffer> buffers = buffers_for(tensors, launch.is_main);
    for (simt::Buffer& buffer : buffers) {
      buffer.is_free = before && (!buffer.writable || !before->contains(buffer.name));
    }
    buffers.push_back(
        {const_cast<void*>(parameters.data()), parameters.size(), kArgumentsName, false});
    try {
      before = run(launch, parameters.data(), buffers);
    } catch (simt::Fault& fault) {
      fault.add_context(launch.name);
      throw;
    }
  }
}

ResourceUse SimtExecutable::resources() const {
  ResourceUse use;
  use.dynamic_shared_bytes = plan_.main.shared_bytes;
  use.cubin_hash = unit_.module().hash;
  return use;
}

}  // namespace msda
