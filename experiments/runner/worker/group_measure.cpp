// The timed part of a group: what the core's blocks give goes into records and events.
#include <algorithm>
#include <bit>
#include <chrono>
#include <numeric>

#include <fmt/format.h>

#include "device/ceilings_history.hpp"
#include "elapsed.hpp"
#include "measure/least_seconds.hpp"
#include "measure/power.hpp"
#include "measure/shuffle.hpp"
#include "results/counters.hpp"
#include "runner/protocol/phase.hpp"
#include "runner/worker/group_runner.hpp"
#include "statistics/speed_of_light.hpp"
#include "statistics/statistics.hpp"
#include "trace/trace.hpp"

namespace msda {

std::vector<std::size_t> losers(const std::vector<double>& log_times, int blocks_done, int keep) {
  const std::size_t count = log_times.size();
  if (keep <= 0 || !std::has_single_bit(static_cast<unsigned>(blocks_done))) return {};
  const std::size_t stay = std::max((count + 1) / 2, static_cast<std::size_t>(keep));
  if (stay >= count) return {};
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return log_times[a] < log_times[b]; });
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(stay));
  std::sort(order.begin(), order.end());
  return order;
}

void GroupRunner::measure() {
  const MeasureSettings& asked = request_->measure;
  std::vector<TimedArm> arms;
  for (Cell& cell : cells_) {
    arms.push_back({&cell.prepared, cell.check ? &*cell.check : nullptr});
  }
  const BlockSettings settings{.mode = request_->mode,
                               .process = request_->process,
                               .blocks = asked.blocks,
                               .samples = asked.samples,
                               .warmup = asked.warmup,
                               .seed = asked.seed,
                               .budget = asked.budget_of_process(),
                               .times_parts = request_->keep == 0,
                               .secret = secret_number()};
  const BlocksRun run = Blocks(device_, *group_inputs_, std::move(arms), settings, *this).run();
  // Arms run interleaved, so that all of a group have their first and last block at the same time.
  for (Cell& cell : cells_) {
    if (!cell.alive) continue;
    if (!cell.retired) cell.record.stopped_by = run.stopped_by;
    ProcessRun& process = cell.record.processes.front();
    process.measured_seconds = run.seconds;
    process.before = run.before;
    process.after = run.after;
    tell_foreign_threads(cell);
  }
}

void GroupRunner::count_energy() {
  const auto seconds = request_->measure.energy;
  if (seconds.count() <= 0 || request_->process > 0) return;
  for_each_alive([&](Cell& cell) {
    if (cell.retired) return;
    step(cell, phase::kEnergy, [&] {
      cell.record.processes.front().power =
          measure_power(device_, *group_inputs_, *cell.prepared.executable, seconds);
    });
  });
}

bool GroupRunner::takes_part(std::size_t arm) const {
  return cells_[arm].alive && !cells_[arm].retired;
}

void GroupRunner::run(std::size_t arm, Step step_kind, const std::function<void()>& action) {
  Cell& cell = cells_[arm];
  if (step_kind == Step::kParts) return step(cell, phase::kMeasureParts, action);
  step(cell, phase::kMeasure, [&] { run_beside_threads(cell, action); });
}

void GroupRunner::run_beside_threads(Cell& cell, const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  const auto before = threads_.seconds_of_others(cell.record.arm);
  action();
  for (const auto& [arm, seconds] : threads_.seconds_of_others(cell.record.arm)) {
    const auto known = before.find(arm);
    cell.foreign_seconds[arm] += seconds - (known == before.end() ? 0 : known->second);
  }
  cell.timed_seconds += seconds_since(start);
}

/// A pool of threads that waits takes next to nothing; one that spins takes a processor.
void GroupRunner::tell_foreign_threads(Cell& cell) const {
  constexpr double kWorthTelling = 0.05;  ///< processors
  ProcessRun& process = cell.record.processes.front();
  for (const auto& [arm, seconds] : cell.foreign_seconds) {
    const double processors = seconds / cell.timed_seconds;
    if (processors > kWorthTelling) process.foreign_processors[arm] = processors;
  }
}

void GroupRunner::take_samples(std::size_t arm, SampleBlock samples) {
  Record& record = cells_[arm].record;
  channel_.send({{"event", event::kSample},
                 {"cell", record.cell},
                 {"block", samples.block},
                 {"seconds", samples.seconds}});
  record.samples.push_back(std::move(samples));
}

void GroupRunner::take_part_samples(std::size_t arm, std::size_t part, SampleBlock samples) {
  Cell& cell = cells_[arm];
  std::vector<PartTimes>& times = cell.record.parts;
  if (times.empty()) {
    for (const LaunchPart& one : cell.prepared.parts) times.push_back({one.name, {}, one.outside});
  }
  times[part].samples.push_back(std::move(samples));
}

void GroupRunner::reject(std::size_t arm, const Verdict& verdict) {
  note(verdict, cells_[arm].record);
  finish(cells_[arm], CellStatus::kWrong, verdict.reason);
}

/// The baseline never stops: all others are compared with it.
void GroupRunner::after_block(int blocks_done) {
  std::vector<Cell*> racing;
  std::vector<double> log_times;
  for (Cell& cell : cells_) {
    if (!cell.alive || cell.retired || cell.record.baseline) continue;
    racing.push_back(&cell);
    double sum = 0;
    for (const auto& [block, log_time] : log_medians(cell.record.samples)) sum += log_time;
    log_times.push_back(sum / blocks_done);
  }
  for (const std::size_t i : losers(log_times, blocks_done, request_->keep)) {
    racing[i]->retired = true;
    racing[i]->record.stopped_by = "halving";
  }
}

void GroupRunner::profile(Cell& cell) {
  using trace::Category;
  using trace::Range;
  warm_up(device_, *group_inputs_, *cell.prepared.executable, request_->measure.warmup);
  const Range profiled(Category::kProfiled);
  const Tensors& tensors = group_inputs_->tensors_of_launch(0);
  if (cell.prepared.parts.empty()) {
    const Range range(Category::kPart, kMainPart);
    cell.prepared.executable->launch(tensors, device_.stream());
  }
  for (const LaunchPart& part : cell.prepared.parts) {
    const Range range(Category::kPart, part.name);
    part.launch(tensors, device_.stream());
  }
  device_.synchronize();
}

/// The least time of `record`, with its traffic and these ceilings, and what sets it.
SpeedOfLight least_time(const Record& record, const MemoryFacts& memory) {
  const SpeedOfLight least{
      least_seconds(record.traffic, record.mode, memory.ceilings) / record.devices.value_or(1),
      traits_of(record.mode).flushes_caches ? MemoryLevel::kDram : MemoryLevel::kL2};
  const SpeedOfLight light = speed_of_light(record, memory).value_or(least);
  return light.seconds > least.seconds ? light : least;
}

/// Ceilings that were measured while the machine was busy are too low, and a problem's sizes may
/// say more than its input needs: before an arm is accused, both are looked at again.
void GroupRunner::check_possible(Cell& cell) {
  const Heartbeats heartbeats(channel_);
  const double median = median_seconds(cell.record.samples).value_or(0);
  MemoryFacts memory{stored_ceilings(device_.info()).best, device_.info().l2_bytes};
  if (median >= least_time(cell.record, memory).seconds) return;
  Record counted = cell.record;
  for (std::size_t set = 0; set < group_inputs_->size(); ++set) {
    const Traffic least = cell.composition->op().least_traffic(*group_inputs_->set(set).input);
    counted.traffic = least;
    if (median >= least_time(counted, memory).seconds) return;
  }
  const Ceilings now = device_.measure_ceilings();
  for (const auto& [name, field] : kCeilingFields) {
    memory.ceilings.*field = std::max(memory.ceilings.*field, now.*field);
  }
  const SpeedOfLight bound = least_time(counted, memory);
  if (median >= bound.seconds) return;
  finish(cell, CellStatus::kImpossible,
         fmt::format("a launch takes {:.3g} us, and reading and writing what every right kernel "
                     "does takes the {} of this device {:.3g} us at least: the work is not in "
                     "what is timed",
                     median * 1e6, name_of(bound.level), bound.seconds * 1e6));
}

}  // namespace msda
