#include "device/compiled_unit.hpp"

#include <chrono>

namespace msda {
namespace {

/// `compile(const Unit&)` makes the module.
template <class Compile>
Build build(const Composition& composition, const Problem& problem, const Compile& compile) {
  const auto start = std::chrono::steady_clock::now();
  ComposedUnit composed = write_unit(composition, problem);
  Module module = compile(composed.unit);
  const bool from_cache = module.from_cache;
  auto unit = std::make_shared<CompiledUnit>(std::move(composed), std::move(module));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return {std::move(unit), {seconds.count(), from_cache}};
}

}  // namespace

Build compile_unit(const Compiler& compiler, const Composition& composition, const Problem& problem,
                   const DeviceInfo& device) {
  return build(composition, problem, [&](const Unit& unit) {
    return compiler.compile(unit, architecture_name(device.compute_capability));
  });
}

Build compile_unit(const HostCompiler& compiler, const Composition& composition,
                   const Problem& problem) {
  return build(composition, problem, [&](const Unit& unit) { return compiler.compile(unit); });
}

}  // namespace msda
