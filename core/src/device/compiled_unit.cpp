#include "device/compiled_unit.hpp"

#include <chrono>

#include <fmt/format.h>

#include "compose/level_class.hpp"
#include "hash.hpp"
#include "jit/elf.hpp"
#include "jit/launch_plan.hpp"

namespace msda {
namespace {

/// `compile(const Unit&)` makes the module.
template <class Compile>
Build build(const Composition& composition, const Problem& problem, const Compile& compile) {
  const auto start = std::chrono::steady_clock::now();
  ComposedUnit composed = write_unit(composition, problem);
  Module module = compile(composed.unit);
  const bool from_cache = module.from_cache;
  auto unit = std::make_shared<CompiledUnit>(CompiledUnit{std::move(composed), std::move(module)});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return {std::move(unit), {seconds.count(), from_cache}};
}

/// Instructions, and the constants that the compiler keeps beside them.
void add_kernel(const Module& module, const std::string& name, Hash& hash) {
  const std::string& symbol = module.kernels.at(name).symbol;
  for (const char* section : {".text.", ".nv.constant2."}) {
    const auto bytes = elf_section_bytes(module.cubin, section + symbol);
    hash.add(fmt::format("{} ", bytes.size())).add(bytes.data(), bytes.size());
  }
}

}  // namespace

std::string code_hash(const CompiledUnit& unit) {
  LaunchPlan plan = read_plan(unit.module);
  for (Remark& idle : plan.idle) idle = {};  // words, which change no launch
  Hash hash;
  hash.add(&plan, sizeof plan);
  for (const PlannedKernel& kernel : kernels_of(unit.composed, plan)) {
    add_kernel(unit.module, kernel.expression, hash);
  }
  return hash.hex();
}

Build compile_unit(const Compiler& compiler, const Composition& composition, const Problem& problem,
                   const DeviceInfo& device) {
  Build made = build(composition, problem, [&](const Unit& unit) {
    return compiler.compile(unit, architecture_name(device.compute_capability));
  });
  if (made.unit->composed.sized_kernels.empty()) return made;
  auto unit = std::make_shared<CompiledUnit>(*made.unit);
  choose_kernel(unit->composed, read_plan(unit->module), problem);
  made.unit = std::move(unit);
  return made;
}

Build compile_unit(const HostCompiler& compiler, const Composition& composition,
                   const Problem& problem) {
  return build(composition, problem, [&](const Unit& unit) { return compiler.compile(unit); });
}

}  // namespace msda
