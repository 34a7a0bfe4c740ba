#include "evidence/simt_counts.hpp"

#include <fmt/format.h>

#include <msda/error.hpp>

#include "device/simt/device.hpp"
#include "device/simt/executable.hpp"
#include "evidence/idle.hpp"
#include "evidence/scale.hpp"
#include "hash.hpp"
#include "problem/validate.hpp"

namespace msda {
namespace {

/// Raised whenever something is counted in another way: counts that were kept are then not used.
constexpr int kCounting = 1;

/// Of the GPUs that kernels are written for, where the device is none.
constexpr int kMultiprocessorsOfAGpu = 132;

/// A kernel that goes on for longer is given up: evidence is no reason to wait for minutes.
constexpr std::int64_t kMostSteps = 2'000'000'000;

int multiprocessors_of(const DeviceInfo& device) {
  return device.kind == DeviceKind::kCuda ? device.multiprocessors : kMultiprocessorsOfAGpu;
}

simt::Options counting() {
  simt::Options options;
  options.count = true;
  options.total_steps = kMostSteps;
  return options;
}

Tensors upload(const Input& input, std::vector<std::unique_ptr<SimtMemory>>& memory) {
  const auto place = [&](std::size_t bytes) {
    memory.push_back(std::make_unique<SimtMemory>(bytes));
    return memory.back().get();
  };
  const auto copy = [&](const Bytes& from) {
    SimtMemory* to = place(from.size());
    to->upload(from.data(), from.size());
    return to->data();
  };
  const Problem& problem = input.problem;
  const auto output_bytes =
      static_cast<std::size_t>(problem.output_elements()) * size_of(problem.types.output);
  Tensors tensors;
  tensors.value = copy(input.value);
  tensors.locations = copy(input.locations);
  tensors.weights = copy(input.weights);
  tensors.output = place(output_bytes)->data();
  return tensors;
}

}  // namespace

Counts SimtCounter::count(const Composition& composition) {
  if (!composition.runs_on(DeviceKind::kSimt)) {
    throw Unsupported(
        fmt::format("it runs on {}, where threads are not counted", composition.devices_text()));
  }
  DeviceInfo on = simt_info(counting());
  if (const auto reason = composition.unsupported(problem_, on)) throw Unsupported(*reason);
  const Build build = compile_unit(compiler(), composition, problem_);
  const CompiledUnit& unit = *build.unit;
  const LaunchPlan plan = simt::LoadedUnit(unit.module).plan();
  const Scaled scaled = scaled_down(problem_, plan, multiprocessors_of(device_));
  on.multiprocessors = scaled.multiprocessors;
  if (inputs_.identity.empty()) return run(unit, plan, scaled.problem, on);
  const std::string key =
      hash_hex(fmt::format("{} {} {} {} {}", kCounting, on.multiprocessors,
                           describe(scaled.problem), MSDA_VERSION, inputs_.identity));
  return kept_counts(unit.module.directory / ("counts-" + key + ".json"),
                     [&] { return run(unit, plan, scaled.problem, on); });
}

Counts SimtCounter::run(const CompiledUnit& unit, const LaunchPlan& plan, const Problem& scaled,
                        const DeviceInfo& on) {
  SimtExecutable executable(unit, scaled, on, counting());
  std::vector<std::unique_ptr<SimtMemory>> memory;
  executable.launch(upload(input(scaled), memory), nullptr);
  return {executable.numbers(), idle_policies(unit.composed, plan)};
}

const HostCompiler& SimtCounter::compiler() {
  const std::lock_guard lock(mutex_);
  if (!compiler_) compiler_.emplace();
  return *compiler_;
}

const Input& SimtCounter::input(const Problem& scaled) {
  const std::lock_guard lock(mutex_);
  auto& made = made_[{scaled.batch, scaled.queries}];
  if (!made) made = std::make_unique<Input>(inputs_.make(scaled));
  return *made;
}

}  // namespace msda
