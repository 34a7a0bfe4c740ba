#include "gpu/compiled_unit.hpp"

#include <chrono>

namespace msda {

Build compile_unit(const Compiler& compiler, const Composition& composition, const Problem& problem,
                   const DeviceInfo& device) {
  const auto start = std::chrono::steady_clock::now();
  ComposedUnit composed = write_unit(composition, problem);
  Module module = compiler.compile(composed.unit, architecture_name(device.compute_capability));
  const bool from_cache = module.from_cache;
  auto unit = std::make_shared<CompiledUnit>(std::move(composed), std::move(module));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return {std::move(unit), {seconds.count(), from_cache}};
}

}  // namespace msda
