// Which compositions an export can carry, and to which devices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <mutex>
#include <set>

#include <msda/error.hpp>

#include "export/parts.hpp"
#include "jit/elf.hpp"
#include "jit/launch_plan.hpp"
#include "jit/occupancy.hpp"
#include "parallel.hpp"
#include "problem/validate.hpp"

namespace msda {
namespace {

/// Host code computes launch plans as for this one, and for those after it.
constexpr const char* kArchitecture = "sm_90a";
constexpr int kCapability = 90;
/// Of those before it.
constexpr const char* kEarlierArchitecture = "sm_80";

void require_operator(const ExportedKernel& kernel) {
  if (kernel.composition.kernel() != nullptr) {
    throw UsageError(
        fmt::format("'{}' is a whole kernel of its plugin, for {}: compositions are what is "
                    "exported",
                    kernel.recipe, kernel.composition.devices_text()));
  }
  if (kernel.composition.placement()) {
    throw UsageError(
        fmt::format("'{}' runs on {} devices, and what is exported is one kernel: leave '{}' out",
                    kernel.recipe, kernel.composition.device_count(),
                    kernel.composition.placement()->plugin->name));
  }
  const std::string_view op = kernel.composition.op().name();
  if (std::ranges::find(kExportedOperators, op) == std::end(kExportedOperators)) {
    throw UsageError(fmt::format("'{}' computes the operator '{}', and exports are of: {}",
                                 kernel.recipe, op, fmt::join(kExportedOperators, ", ")));
  }
}

/// Before anything is compiled: a compiler says in pages what a variant says in a line.
void require_a_gpu(const ExportedKernel& kernel) {
  std::optional<std::string> reason;
  for (const int capability : known_capabilities()) {
    reason = kernel.composition.unsupported(kernel.problem, compile_target(capability));
    if (!reason) return;
  }
  throw Unsupported(
      fmt::format("'{}' for {}: {}", kernel.recipe, describe(kernel.problem), *reason));
}

/// Of the first architecture asked for that does not take it.
void require_architectures(const ExportRequest& request, const ExportedKernel& kernel) {
  for (const std::string& architecture : request.architectures) {
    const DeviceInfo device = compile_target(capability_of(architecture));
    if (const auto reason = kernel.composition.unsupported(kernel.problem, device)) {
      throw Unsupported(fmt::format("'{}' for {} on {}: {}", kernel.recipe, kernel.problem.name,
                                    architecture, *reason));
    }
  }
}

/// What needs more of the host than memory and launches.
void require_portable(const ExportedKernel& kernel, const LaunchPlan& plan) {
  const auto refuse = [&](const char* what) {
    throw Unsupported(fmt::format("'{}' cannot be exported: {}", kernel.recipe, what));
  };
  const bool textures = std::any_of(std::begin(plan.texture), std::end(plan.texture),
                                    [](const TextureShape& shape) { return shape.width != 0; });
  if (textures) refuse("it reads layered textures, which are arrays of a fixed batch, not tensors");
  if (plan.persisting_tensor != 0) {
    refuse("it sets aside a part of L2, which is a limit of the whole device and its program's");
  }
}

/// " with given sizes", or nothing of constant ones.
std::string form_text(LevelForm form, const char* format) {
  return form == LevelForm::kFixed ? "" : fmt::format(fmt::runtime(format), name_of(form));
}

std::string identifier(const ExportedKernel& kernel, std::set<std::string>& taken) {
  const Problem& problem = kernel.problem;
  const Operator& op = kernel.composition.op();
  std::string name = problem.name + "_" + std::string(name_of(problem.types.value)) +
                     (op.borrows() ? fmt::format("_{}", op.name()) : "") +
                     form_text(kernel.composition.levels(), "_{}");
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = "problem_" + name;
  std::string unique = name;
  for (int number = 2; !taken.insert(unique).second; ++number) {
    unique = fmt::format("{}_{}", name, number);
  }
  return unique;
}

/// Whether devices before TMA are launched as those with it: copies are others there, and with them
/// what blocks keep in shared memory.
bool same_plan_before_tma(const ExportedKernel& kernel, const Module& module,
                          const Compiler& compiler) {
  Unit unit = unit_of(kernel).unit;
  unit.kernels.clear();  // the plan alone takes a fifth of a second, where all takes ten
  const Module earlier = compiler.compile(unit, kEarlierArchitecture);
  return elf_symbol_bytes(earlier.cubin, earlier.plan_symbol) ==
         elf_symbol_bytes(module.cubin, module.plan_symbol);
}

struct Capabilities {
  int least = 0;
  int most = 0;
};

Capabilities capabilities_of(const ExportedKernel& kernel, const LaunchPlan& plan,
                             const Module& module, const Compiler& compiler) {
  std::vector<int> able;
  const std::vector<int> all = known_capabilities();
  for (const int capability : all) {
    const DeviceInfo device = compile_target(capability);
    const bool fits = plan.main.shared_bytes <= static_cast<std::size_t>(device.shared_bytes);
    if (fits && !kernel.composition.unsupported(kernel.problem, device)) able.push_back(capability);
  }
  if (!able.empty() && able.front() < kCapability &&
      !same_plan_before_tma(kernel, module, compiler)) {
    std::erase_if(able, [](int capability) { return capability < kCapability; });
  }
  if (able.empty()) {
    throw Unsupported(
        fmt::format("'{}' for {}: no GPU takes it: {}", kernel.recipe, kernel.problem.name,
                    kernel.composition.unsupported(kernel.problem, compile_target(all.back()))
                        .value_or("a block needs more shared memory than there is")));
  }
  // Of those between that do not take it the launch finds out: it asks for their shared memory.
  return {able.front(), able.back() == all.back() ? 0 : able.back()};
}

/// Of the first architecture asked for that the kernel's launch is not for.
void require_capability(const ExportRequest& request, const CheckedKernel& kernel) {
  for (const std::string& architecture : request.architectures) {
    if (capability_of(architecture) >= kernel.least_capability) continue;
    throw Unsupported(fmt::format(
        "'{}' on {}: TMA or shared memory make its launch one for compute capability "
        "{}.{} and later, and an export carries one launch",
        kernel.name, architecture, kernel.least_capability / 10, kernel.least_capability % 10));
  }
}

/// The kernels' names in images, which are compiled of the unit that is measured.
void add_symbols(const ComposedUnit& measured, const Module& module, CheckedKernel& kernel) {
  for (const std::string& main : main_kernels(measured)) {
    kernel.symbols.push_back(module.kernels.at(main).symbol);
  }
  for (const PlannedKernel& planned : kernels_of(measured, kernel.plan)) {
    if (planned.pass == nullptr) continue;
    kernel.symbols.push_back(module.kernels.at(planned.expression).symbol);
  }
}

CheckedKernel named(const ExportedKernel& kernel, std::set<std::string>& spaces) {
  CheckedKernel one;
  one.exported = &kernel;
  one.space = identifier(kernel, spaces);
  const Operator& op = kernel.composition.op();
  one.name = fmt::format("{} for {}{}{}", kernel.recipe, kernel.problem.name,
                         op.borrows() ? fmt::format(", {}", op.name()) : "",
                         form_text(kernel.composition.levels(), " with {} sizes"));
  return one;
}

/// What its compiled code says of it.
void compile_and_check(const ExportRequest& request, const Compiler& compiler, CheckedKernel& one) {
  const ExportedKernel& kernel = *one.exported;
  const Module module = compiler.compile(unit_of(kernel).unit, kArchitecture);
  one.plan = read_plan(module);
  require_portable(kernel, one.plan);
  const Capabilities capabilities = capabilities_of(kernel, one.plan, module, compiler);
  one.least_capability = capabilities.least;
  one.most_capability = capabilities.most;
  one.repeats = kernel.composition.deterministic();
  require_capability(request, one);
  one.composed = write_unit(kernel.composition, kernel.problem, one.space);
  add_symbols(unit_of(kernel), module, one);
}

}  // namespace

ComposedUnit unit_of(const ExportedKernel& kernel) {
  ComposedUnit composed = write_unit(kernel.composition, kernel.problem);
  composed.unit.lines = false;
  return composed;
}

std::vector<std::string> main_kernels(const ComposedUnit& composed) {
  return composed.sized_kernels.empty() ? std::vector{composed.main_kernel}
                                        : composed.sized_kernels;
}

std::vector<PlannedKernel> passes_of(const CheckedKernel& kernel) {
  std::vector<PlannedKernel> passes = kernels_of(kernel.composed, kernel.plan);
  std::erase_if(passes, [](const PlannedKernel& planned) { return planned.pass == nullptr; });
  return passes;
}

std::string_view operator_of(const CheckedKernel& kernel) {
  return kernel.exported->composition.op().name();
}

void make_all(const ExportRequest& request, const char* what, std::size_t count,
              const std::function<void(std::size_t)>& body) {
  if (count == 0) return;
  std::mutex telling;
  std::size_t done = 0;
  const auto tell = [&](std::size_t more) {
    const std::lock_guard lock(telling);
    done += more;
    if (request.on_progress) request.on_progress(what, done, count);
  };
  tell(0);
  parallel_for(static_cast<std::int64_t>(count), 1, 0, [&](std::int64_t i, std::int64_t) {
    body(static_cast<std::size_t>(i));
    tell(1);
  });
}

std::vector<CheckedKernel> check_kernels(const ExportRequest& request, const Compiler& compiler) {
  std::vector<CheckedKernel> kernels;
  std::set<std::string> spaces;
  std::set<std::string> classes;
  for (const ExportedKernel& kernel : request.kernels) {
    require_operator(kernel);
    require_a_gpu(kernel);
    require_architectures(request, kernel);
    const bool is_known = kernel.composition.levels() != LevelForm::kFixed &&
                          !classes.insert(unit_of(kernel).unit.text).second;
    if (!is_known) kernels.push_back(named(kernel, spaces));
  }
  make_all(request, "kernels", kernels.size(),
           [&](std::size_t i) { compile_and_check(request, compiler, kernels[i]); });
  add_images(request, compiler, kernels);
  return kernels;
}

}  // namespace msda
