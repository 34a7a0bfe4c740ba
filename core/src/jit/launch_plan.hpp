// The launch plan that the device headers computed, read out of a compiled module.
#pragma once

#include <msda/launch.cuh>

#include "jit/compiler.hpp"

namespace msda {

/// Throws Error when the module has no plan or one of another size.
LaunchPlan read_plan(const Module& module);

/// Bytes of workspace for these run-time sizes; queries is Q.
std::size_t workspace_bytes(const Extent& extent, std::int64_t batch, std::int64_t queries);

}  // namespace msda
