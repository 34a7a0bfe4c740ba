// The timed part of a group: what the core's blocks give goes into records and events.
#include <algorithm>
#include <bit>
#include <numeric>

#include <fmt/format.h>

#include "device/ceilings_history.hpp"
#include "measure/least_seconds.hpp"
#include "results/counters.hpp"
#include "runner/protocol/phase.hpp"
#include "runner/worker/group_runner.hpp"
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
  const BlockSettings settings{
      request_->mode, request_->process,         asked.blocks,       asked.samples, asked.warmup,
      asked.seed,     asked.budget_of_process(), request_->keep == 0};
  const BlocksRun run = Blocks(device_, *group_inputs_, std::move(arms), settings, *this).run();
  // Arms run interleaved, so that all of a group have their first and last block at the same time.
  for (Cell& cell : cells_) {
    if (!cell.alive) continue;
    if (!cell.retired) cell.record.stopped_by = run.stopped_by;
    ProcessRun& process = cell.record.processes.front();
    process.measured_seconds = run.seconds;
    process.before = run.before;
    process.after = run.after;
  }
}

bool GroupRunner::takes_part(std::size_t arm) const {
  return cells_[arm].alive && !cells_[arm].retired;
}

void GroupRunner::run(std::size_t arm, Step step_kind, const std::function<void()>& action) {
  step(cells_[arm], step_kind == Step::kSamples ? phase::kMeasure : phase::kMeasureParts, action);
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

/// Ceilings that were measured while the machine was busy are too low, and would accuse a kernel
/// that did nothing but run well: before that they are measured again.
void GroupRunner::check_possible(Cell& cell) {
  const Heartbeats heartbeats(channel_);
  const auto least = [&](const Ceilings& ceilings) {
    return least_seconds(cell.record.traffic, request_->mode, ceilings) /
           cell.composition->device_count();
  };
  const double median = median_seconds(cell.record.samples).value_or(0);
  double bound = least(stored_ceilings(device_.info()).best);
  if (median >= bound) return;
  bound = std::min(bound, least(device_.measure_ceilings()));
  if (median >= bound) return;
  finish(cell, CellStatus::kImpossible,
         fmt::format("a launch takes {:.3g} us, and reading and writing what every right kernel "
                     "does takes this device {:.3g} us at least: the work is not in what is "
                     "timed",
                     median * 1e6, bound * 1e6));
}

}  // namespace msda
