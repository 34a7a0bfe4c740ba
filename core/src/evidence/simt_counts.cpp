#include "evidence/simt_counts.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <msda/error.hpp>

#include "device/simt/device.hpp"
#include "device/simt/executable.hpp"
#include "device/simt/group.hpp"
#include "device/split.hpp"
#include "evidence/idle.hpp"
#include "evidence/names.hpp"
#include "evidence/scale.hpp"
#include "hash.hpp"
#include "problem/validate.hpp"
#include "version.hpp"

namespace msda {
namespace {

/// Raised whenever something is counted in another way: counts that were kept are then not used.
constexpr int kCounting = 2;

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
  Tensors tensors;
  for (std::size_t i = 0; i < input.specs.size(); ++i) {
    const TensorSpec& spec = input.specs[i];
    if (!is_there(input.problem, spec)) continue;
    if (spec.role == TensorSpec::Role::kInput) tensors.data[i] = copy(input.tensors[i]);
    if (spec.role == TensorSpec::Role::kOutput && is_asked(input.problem, i)) {
      tensors.data[i] = place(static_cast<std::size_t>(bytes_of(input.problem, spec)))->data();
    }
  }
  return tensors;
}

/// False for the most of something, and for averages.
bool is_sum(const std::string& name) {
  constexpr std::array kOthers = {".of-a-thread", ".widest-read", ".in-flight",
                                  ".run-lanes",   "-per-request", "tiles.heads"};
  return std::ranges::none_of(kOthers, [&](const char* end) { return name.ends_with(end); });
}

/// What all devices do together; of what is no sum, that of the device where it is largest.
Numbers numbers_of(const SplitExecutable& executable) {
  Numbers all;
  int devices = 0;
  for (std::size_t i = 0; i < executable.size(); ++i) {
    const Numbers& own = dynamic_cast<const SimtExecutable&>(executable.share(i)).numbers();
    for (const auto& [name, number] : own) {
      double& value = all[name];
      value = is_sum(name) ? value + number : std::max(value, number);
    }
    if (own.contains("rows")) ++devices;
  }
  if (executable.size() > 1) all[kDevices] = devices;
  return all;
}

}  // namespace

Counts SimtCounter::count(const Composition& composition) {
  if (!composition.runs_on(DeviceKind::kSimt)) {
    throw Unsupported(
        fmt::format("it runs on {}, where threads are not counted", composition.devices_text()));
  }
  DeviceInfo on = simt_info(counting());
  if (const auto reason = composition.unsupported(problem_, on)) throw Unsupported(*reason);
  Build build = compile_unit(compiler(), composition, problem_);
  const LaunchPlan plan = simt::LoadedUnit(build.unit->module).plan();
  const Scaled scaled =
      scaled_down(problem_, plan, multiprocessors_of(device_), composition.device_count());
  if (const auto reason = composition.unsupported(scaled.problem, on)) {
    throw Unsupported(fmt::format(
        "not countable: threads are counted on a smaller problem ({}), which it refuses: {}",
        describe(scaled.problem), *reason));
  }
  const bool is_same_code = std::ranges::all_of(composition.parts(), [&](const Part& part) {
    return settled(part, problem_) == settled(part, scaled.problem);
  });
  if (!is_same_code) build = compile_unit(compiler(), composition, scaled.problem);
  on.multiprocessors = scaled.multiprocessors;
  const auto count = [&] { return run(composition, build, plan, scaled.problem, on); };
  if (inputs_.identity.empty()) return count();
  const std::string placement =
      composition.placement() ? composition.placement()->plugin->name : std::string();
  const std::string key =
      hash_hex(fmt::format("{} {} {} {} {} {} {} {}", kCounting, on.multiprocessors,
                           describe(scaled.problem), kVersion, inputs_.identity, placement,
                           composition.device_count(), static_cast<int>(composition.gather())));
  return kept_counts(build.unit->module.directory / ("counts-" + key + ".json"), count);
}

Counts SimtCounter::run(const Composition& composition, const Build& build, const LaunchPlan& plan,
                        const Problem& scaled, const DeviceInfo& on) {
  // On one device there is nothing to gather, and the count of devices tells so.
  SplitExecutable executable(make_simt_group(counting(), on, composition.device_count()),
                             composition, scaled, build);
  std::vector<std::unique_ptr<SimtMemory>> memory;
  const Tensors tensors = upload(input(scaled), memory);
  executable.bind(tensors);
  executable.launch(tensors, nullptr);
  return {numbers_of(executable), idle_policies(build.unit->composed, plan)};
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
