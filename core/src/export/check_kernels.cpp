// Which compositions an export can carry, and to which devices.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include <msda/error.hpp>

#include "export/parts.hpp"
#include "jit/launch_plan.hpp"
#include "jit/occupancy.hpp"

namespace msda {
namespace {

constexpr const char* kDefaultArchitecture = "sm_90a";

int capability_of(const std::string& architecture) {
  sm_limits(architecture);  // throws for what is none
  return std::stoi(architecture.substr(std::string_view("sm_").size()));
}

void require_operator(const ExportedKernel& kernel) {
  if (kernel.composition.kernel() != nullptr) {
    throw UsageError(
        fmt::format("'{}' is a whole kernel of its plugin, for {}: compositions are what is "
                    "exported",
                    kernel.recipe, kernel.composition.devices_text()));
  }
  if (kernel.composition.computes() != Computes::kAttention) {
    throw UsageError(
        fmt::format("'{}' copies values instead of attending: there is no operator "
                    "to export",
                    kernel.recipe));
  }
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
  if (textures) refuse("it reads textures, which are arrays of a fixed batch, not tensors");
  if (plan.persist_value != 0) {
    refuse("it sets aside a part of L2, which is a limit of the whole device and its program's");
  }
}

std::string identifier(const Problem& problem, std::set<std::string>& taken) {
  std::string name = problem.name + "_" + std::string(name_of(problem.types.value));
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = "problem_" + name;
  std::string unique = name;
  for (int number = 2; !taken.insert(unique).second; ++number) {
    unique = fmt::format("{}_{}", name, number);
  }
  return unique;
}

struct Capabilities {
  int least = 0;
  int most = 0;
};

Capabilities capabilities_of(const ExportedKernel& kernel, const LaunchPlan& plan) {
  std::vector<int> able;
  const std::vector<int> all = known_capabilities();
  for (const int capability : all) {
    const DeviceInfo device = compile_target(capability);
    const bool fits = plan.main.shared_bytes <= static_cast<std::size_t>(device.shared_bytes);
    if (fits && !kernel.composition.unsupported(kernel.problem, device)) able.push_back(capability);
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

}  // namespace

DeviceInfo compile_target(int capability) {
  DeviceInfo device;
  device.id = fmt::format("sm_{}", capability);
  device.name = device.id;
  device.kind = DeviceKind::kCuda;
  device.compute_capability = capability;
  device.shared_bytes = sm_limits(device.id).shared_bytes_of_block;
  return device;
}

bool CheckedKernel::has_maps() const {
  return std::any_of(std::begin(plan.boxes), std::end(plan.boxes),
                     [](const BoxShape& box) { return box.element_bytes != 0; });
}

std::vector<CheckedKernel> check_kernels(const ExportRequest& request, const Compiler& compiler) {
  std::vector<CheckedKernel> checked;
  std::set<std::string> spaces;
  const std::string architecture =
      request.architectures.empty() ? kDefaultArchitecture : request.architectures.front();
  for (const ExportedKernel& kernel : request.kernels) {
    require_operator(kernel);
    require_architectures(request, kernel);
    CheckedKernel one;
    one.exported = &kernel;
    one.space = identifier(kernel.problem, spaces);
    one.name = fmt::format("{} for {}", kernel.recipe, kernel.problem.name);
    one.plan = read_plan(
        compiler.compile(write_unit(kernel.composition, kernel.problem).unit, architecture));
    require_portable(kernel, one.plan);
    const Capabilities capabilities = capabilities_of(kernel, one.plan);
    one.least_capability = capabilities.least;
    one.most_capability = capabilities.most;
    one.composed = write_unit(kernel.composition, kernel.problem, one.space);
    checked.push_back(std::move(one));
  }
  return checked;
}

}  // namespace msda
