// A composition's code between compilation and loading: made without a GPU, used by one.
#pragma once

#include "compose/unit_writer.hpp"
#include "device/device.hpp"
#include "jit/compiler.hpp"
#include "jit/host_compiler.hpp"

namespace msda {

struct CompiledUnit {
  ComposedUnit composed;
  Module module;
};

/// Of a unit compiled for a GPU: equal for units that launch the same kernels, instruction for
/// instruction, in the same way, whatever their parts are called. A kernel in which an optimization
/// changes nothing is the kernel without it. Throws Error as read_plan() does.
std::string code_hash(const CompiledUnit& unit);

/// Writes the unit of a composition that is no kernel and compiles it for the device. Callable from
/// several threads at a time. Throws Error with the compiler's log.
Build compile_unit(const Compiler& compiler, const Composition& composition, const Problem& problem,
                   const DeviceInfo& device);
/// The same for the host.
Build compile_unit(const HostCompiler& compiler, const Composition& composition,
                   const Problem& problem);

}  // namespace msda
