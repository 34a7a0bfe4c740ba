// The launch plan that the device headers computed, read out of a compiled module.
#pragma once

#include <string>
#include <vector>

#include <msda/launch.cuh>
#include <msda/variant.hpp>

#include "compose/unit_writer.hpp"
#include "jit/compiler.hpp"

namespace msda {

/// Throws Error when the module has no plan or one of another size.
LaunchPlan read_plan(const Module& module);

/// A kernel of a launch.
struct PlannedKernel {
  std::string name;          ///< of the part: "kernel", or the optimization or slot of a pass
  std::string expression;    ///< name expression
  const LaunchShape* shape;  ///< in the plan
  const PassKernel* pass;    ///< null for the main kernel
};

/// What a launch enqueues after its clears, in order.
std::vector<PlannedKernel> kernels_of(const ComposedUnit& composed, const LaunchPlan& plan);

/// Whether TMA copies boxes, for which it wants tensor maps.
bool copies_boxes(const LaunchPlan& plan);

/// Whether the kernel fetches stored values from linear textures.
bool fetches_texels(const LaunchPlan& plan);

/// Throws Unsupported when a block needs more shared memory than the device gives.
void check_block(const LaunchShape& shape, const DeviceInfo& device);

/// Throws when a level's tensor is not one from which TMA copies boxes (CUDA driver API,
/// cuTensorMapEncodeTiled).
void check_boxes(const LaunchPlan& plan);

/// runtime::block_count() for the problem. Throws Unsupported when the grid would exceed its limit.
unsigned block_count(const LaunchShape& shape, const Problem& problem, std::int64_t resident);

}  // namespace msda
