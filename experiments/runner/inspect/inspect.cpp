#include "runner/inspect/inspect.hpp"

#include <fmt/format.h>
#include <msda/runtime/level_sizes.hpp>

#include "compose/level_class.hpp"
#include "compose/unit_writer.hpp"
#include "jit/compiler.hpp"
#include "jit/launch_plan.hpp"

namespace msda {
namespace {

std::optional<SassFunction> main_sass(const Module& module, const std::string& symbol) {
  auto functions = disassemble(module.directory / "kernel.cubin");
  if (!functions) return std::nullopt;
  for (SassFunction& function : *functions) {
    if (function.symbol == symbol) return std::move(function);
  }
  return std::nullopt;
}

}  // namespace

Inspected inspect(const std::string& name, const Composition& composition, const Problem& problem,
                  const std::string& architecture, Sass sass) {
  const SmLimits limits = sm_limits(architecture);
  if (composition.kernel() != nullptr) {
    throw UsageError(
        fmt::format("inspect: '{}' is a whole kernel of its plugin; compositions are "
                    "what is compiled here",
                    name));
  }
  const DeviceInfo device = compile_target(capability_of(architecture));
  if (const auto reason = composition.unsupported(problem, device)) {
    throw Unsupported(fmt::format("inspect: '{}': {}", name, *reason));
  }
  ComposedUnit composed = write_unit(composition, problem);
  const Module module = Compiler().compile(composed.unit, architecture);
  const LaunchPlan plan = read_plan(module);
  choose_kernel(composed, plan, problem);
  const LaunchShape shape =
      runtime::at_sizes(plan, sizes_of(problem), static_cast<int>(problem.level_count())).main;
  const KernelBuild& main = module.kernels.at(composed.main_kernel);
  Inspected inspected;
  inspected.name = name;
  inspected.composition = composition.describe();
  inspected.unit = composed.unit.text;
  inspected.file = module.directory / "unit.cu";
  inspected.threads = static_cast<int>(shape.threads);
  inspected.registers = main.registers;
  inspected.shared_bytes = main.static_shared_bytes + shape.shared_bytes;
  inspected.spill_bytes = main.spill_bytes;
  inspected.resident_blocks = shape.resident_blocks;
  inspected.occupancy =
      occupancy(limits, inspected.threads, main.registers, inspected.shared_bytes);
  if (sass == Sass::kYes) inspected.sass = main_sass(module, main.symbol);
  return inspected;
}

}  // namespace msda
