#include "jit/launch_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include <msda/error.hpp>
#include <msda/runtime/grid.hpp>

#include "jit/elf.hpp"

namespace msda {

LaunchPlan read_plan(const Module& module) {
  const auto bytes = elf_symbol_bytes(module.cubin, module.plan_symbol);
  LaunchPlan plan;
  if (bytes.size() != sizeof plan) {
    throw Error(fmt::format("launch plan in {} has {} bytes, expected {}",
                            module.directory.string(), bytes.size(), sizeof plan));
  }
  std::memcpy(&plan, bytes.data(), sizeof plan);
  return plan;
}

std::vector<PlannedKernel> kernels_of(const ComposedUnit& composed, const LaunchPlan& plan) {
  std::vector<PlannedKernel> kernels;
  const auto add_passes = [&](Pass when) {
    for (const PassKernel& pass : composed.passes) {
      const LaunchShape& shape = plan.pass[when][pass.slot];
      if (pass.when != when || shape.threads == 0) continue;
      kernels.push_back({pass.name, pass.expression, &shape, &pass});
    }
  };
  add_passes(kBefore);
  kernels.push_back({"kernel", composed.main_kernel, &plan.main, nullptr});
  add_passes(kAfter);
  return kernels;
}

bool copies_boxes(const LaunchPlan& plan) {
  return std::any_of(std::begin(plan.boxes), std::end(plan.boxes),
                     [](const BoxShape& shape) { return shape.element_bytes != 0; });
}

bool fetches_texels(const LaunchPlan& plan) {
  return std::any_of(std::begin(plan.texel_bytes), std::end(plan.texel_bytes),
                     [](unsigned bytes) { return bytes != 0; });
}

void check_block(const LaunchShape& shape, const DeviceInfo& device) {
  if (shape.shared_bytes > device.shared_bytes) {
    throw Unsupported(fmt::format("a block needs {} bytes of shared memory; {} gives {}",
                                  shape.shared_bytes, device.name, device.shared_bytes));
  }
}

namespace {

void check_shape(const BoxShape& shape, std::size_t level) {
  const auto refuse = [level](const std::string& why) {
    throw Error(fmt::format("boxes of level {}: {}", level, why));
  };
  const unsigned bytes = shape.element_bytes;
  if (bytes != 1 && bytes != 2 && bytes != 4) {
    refuse(fmt::format("no tensor map of elements of {} bytes", bytes));
  }
  if (shape.rank != 3 && shape.rank != 4) {
    refuse(fmt::format("the tensor has rank {}, not 3 or 4", shape.rank));
  }
  if (shape.start_bytes % kBoxUnit != 0) {
    refuse(
        fmt::format("the level begins at byte {}, no multiple of {}", shape.start_bytes, kBoxUnit));
  }
  if (shape.box[0] * shape.element_bytes % kBoxUnit != 0) {
    refuse(fmt::format("rows of a box have {} bytes, no multiple of {}",
                       shape.box[0] * shape.element_bytes, kBoxUnit));
  }
  for (unsigned d = 0; d + 1 < shape.rank; ++d) {
    if (shape.box[d] == 0 || shape.box[d] > kBoxLimit) {
      refuse(fmt::format("a box has {} along dimension {}, TMA takes 1 to {}", shape.box[d], d,
                         kBoxLimit));
    }
    if (shape.stride_bytes[d] % kBoxUnit != 0) {
      refuse(fmt::format("dimension {} has a stride of {} bytes, no multiple of {}", d + 1,
                         shape.stride_bytes[d], kBoxUnit));
    }
  }
}

}  // namespace

void check_boxes(const LaunchPlan& plan) {
  for (std::size_t level = 0; level < kLevelLimit; ++level) {
    if (plan.boxes[level].element_bytes != 0) check_shape(plan.boxes[level], level);
  }
}

unsigned block_count(const LaunchShape& shape, const Problem& problem, std::int64_t resident) {
  const long long blocks = runtime::block_count(shape, problem.batch, problem.queries, resident);
  if (blocks > runtime::kMostBlocks) {
    throw Unsupported(fmt::format("the grid would have {} blocks, more than a launch can", blocks));
  }
  return static_cast<unsigned>(blocks);
}

}  // namespace msda
