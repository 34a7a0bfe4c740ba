#include "measure/blocks.hpp"

#include <algorithm>

#include "elapsed.hpp"
#include "measure/read_only.hpp"
#include "measure/shuffle.hpp"
#include "trace/trace.hpp"

namespace msda {
namespace {

/// A step of measuring one arm in one block.
trace::Range step(const char* name) { return trace::Range(trace::Category::kStep, name); }

}  // namespace

void warm_up(Device& device, GroupInputs& inputs, Executable& executable, int launches) {
  for (int i = 0; i < launches; ++i) {
    const ReadOnlyInputs read_only(device, inputs.on_device(inputs.set_of_launch(i)));
    executable.launch(inputs.tensors_of_launch(i), device.stream());
  }
  device.synchronize();
}

Blocks::Blocks(Device& device, GroupInputs& inputs, std::vector<TimedArm> arms,
               const BlockSettings& settings, BlockSink& sink)
    : device_(device), inputs_(inputs), arms_(std::move(arms)), settings_(settings), sink_(sink) {}

bool Blocks::any_takes_part() const {
  for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
    if (sink_.takes_part(arm)) return true;
  }
  return false;
}

BlocksRun Blocks::run() {
  BlocksRun run;
  run.before = device_.conditions();
  const auto start = std::chrono::steady_clock::now();
  run.stopped_by = "blocks";
  for (int block = 0; block < settings_.blocks; ++block) {
    if (!any_takes_part()) return {};
    if (block > 0 && seconds_since(start) > settings_.budget.count()) {
      run.stopped_by = "budget";
      break;
    }
    run_block(block);
    sink_.after_block(block + 1);
  }
  run.seconds = seconds_since(start);
  run.after = device_.conditions();
  return run;
}

void Blocks::run_block(int block) {
  const trace::Range range(trace::Category::kBlock, std::to_string(block));
  auto generator =
      generator_of(Purpose::kOrder, {settings_.seed, static_cast<std::uint64_t>(settings_.process),
                                     static_cast<std::uint64_t>(block)});
  const std::vector<std::size_t> order = shuffled(arms_.size(), generator);
  for (const std::size_t arm : order) {
    if (!sink_.takes_part(arm)) continue;
    sink_.run(arm, BlockSink::Step::kSamples, [&] { measure(arm, block); });
  }
  // After all arms' samples, so that these launches and their events come between none of them.
  for (const std::size_t arm : order) {
    if (!sink_.takes_part(arm) || !has_timed_parts(arms_[arm])) continue;
    sink_.run(arm, BlockSink::Step::kParts, [&] { measure_parts(arm, block); });
  }
}

void Blocks::measure(std::size_t number, int block) {
  const TimedArm& arm = arms_[number];
  {
    const trace::Range range = step("warm up");
    arm.check->poison();
    warm_up(device_, inputs_, *arm.prepared->executable, settings_.warmup);
  }
  const std::unique_ptr<RowWatch> watch = watch_of(number, block, false);
  SampleBlock samples = sample(arm, block, *watch);
  const trace::Range range = step("check");
  const Verdict verdict = arm.check->check(device_, *arm.prepared->executable, *watch);
  if (!verdict.right) return sink_.reject(number, verdict);
  sink_.take_samples(number, std::move(samples));
}

std::unique_ptr<RowWatch> Blocks::watch_of(std::size_t number, int block, bool all_parts) {
  OutputCheck& check = *arms_[number].check;
  auto generator = generator_of(Purpose::kSpoiling,
                                {settings_.secret, static_cast<std::uint64_t>(settings_.process),
                                 static_cast<std::uint64_t>(block), number, all_parts});
  check.spoil(generator, settings_.samples);
  device_.synchronize();
  const auto bounds = [&check](std::size_t set, std::size_t output) -> const Bounds& {
    return check.bounds(set, output);
  };
  auto watch = std::make_unique<RowWatch>(
      device_, inputs_, watch_memory_,
      WatchedArm{check.composition(), *arms_[number].prepared, bounds, all_parts}, generator,
      settings_.samples);
  watch->begin();
  return watch;
}

SampleBlock Blocks::sample(const TimedArm& arm, int block, RowWatch& watch) {
  const trace::Range range = step("samples");
  return {settings_.process, block,
          device_.time(
              settings_.mode, settings_.samples,
              [&](int i) {
                arm.prepared->executable->launch(inputs_.tensors_of_launch(i), device_.stream());
              },
              &watch),
          device_.throttled()};
}

/// A graph is launched as a whole; its parts show in the other modes.
bool Blocks::has_timed_parts(const TimedArm& arm) const {
  return settings_.times_parts && !arm.prepared->parts.empty() &&
         !traits_of(settings_.mode).in_graph;
}

/// On a CPU work that an arm does outside of its launches is watched where it is timed: it might do
/// less than it does before a launch that is timed alone.
void Blocks::measure_parts(std::size_t number, int block) {
  const TimedArm& arm = arms_[number];
  const std::vector<LaunchPart>& parts = arm.prepared->parts;
  const trace::Range range = step("parts");
  warm_up(device_, inputs_, *arm.prepared->executable, settings_.warmup);
  std::unique_ptr<RowWatch> watch;
  if (device_.info().kind == DeviceKind::kCpu && std::ranges::any_of(parts, &LaunchPart::outside)) {
    watch = watch_of(number, block, true);
  }
  std::vector<std::vector<double>> seconds = device_.time_parts(
      settings_.mode, settings_.samples, static_cast<int>(parts.size()),
      [&](int i, int part) {
        parts[static_cast<std::size_t>(part)].launch(inputs_.tensors_of_launch(i),
                                                     device_.stream());
      },
      watch.get());
  if (watch) {
    const Verdict verdict = arm.check->check(device_, *arm.prepared->executable, *watch);
    if (!verdict.right) return sink_.reject(number, verdict);
  } else if (const std::string fault = fault_of_inputs(inputs_, device_); !fault.empty()) {
    return sink_.reject(number, {false, "what was timed: " + fault, {}});
  }
  for (std::size_t part = 0; part < parts.size(); ++part) {
    sink_.take_part_samples(number, part, {settings_.process, block, std::move(seconds[part])});
  }
}

}  // namespace msda
