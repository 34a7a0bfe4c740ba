// The timed part of a group: interleaved blocks.
#include <chrono>
#include <random>

#include "runner/protocol/phase.hpp"
#include "runner/worker/group_runner.hpp"
#include "runner/worker/halving.hpp"
#include "statistics/statistics.hpp"
#include "trace/trace.hpp"

namespace msda {
namespace {

using trace::Category;
using trace::Range;

/// The order in which block `block` of process `process` runs `count` arms: Fisher and Yates'
/// shuffle, spelled out so that a seed gives the same order with every standard library.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed, int process, int block) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(process), static_cast<std::uint32_t>(block)};
  std::mt19937_64 engine(sequence);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[engine() % i]);
  return order;
}

}  // namespace

void GroupRunner::measure(std::vector<Cell>& cells) {
  const MeasureSettings& settings = request_->measure;
  note_conditions(cells, &ProcessRun::before);
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::steady_clock::now() - start; };
  std::string stopped_by = "blocks";
  for (int block = 0; block < settings.blocks; ++block) {
    if (!any_alive(cells)) return;
    if (block > 0 && passed() > settings.budget_of_process()) {
      stopped_by = "budget";
      break;
    }
    measure_block(cells, block);
    retire_losers(cells, block + 1);
  }
  const double seconds = std::chrono::duration<double>(passed()).count();
  note_conditions(cells, &ProcessRun::after);
  for (Cell& cell : cells) {
    if (!cell.retired) cell.record.stopped_by = stopped_by;
    cell.record.processes.front().measured_seconds = seconds;
  }
}

/// Arms run interleaved, so that all of a group have their first and last block at the same time.
void GroupRunner::note_conditions(std::vector<Cell>& cells,
                                  std::optional<Conditions> ProcessRun::*when) {
  const std::optional<Conditions> conditions = device_.conditions();
  for (Cell& cell : cells) cell.record.processes.front().*when = conditions;
}

void GroupRunner::measure_block(std::vector<Cell>& cells, int block) {
  const Range range(Category::kBlock, std::to_string(block));
  const std::vector<std::size_t> order =
      shuffled(cells.size(), request_->measure.seed, request_->process, block);
  for (const std::size_t i : order) {
    Cell& cell = cells[i];
    if (cell.alive && !cell.retired)
      step(cell, phase::kMeasure, [&] { measure_cell(cell, block); });
  }
  // After all arms' samples, so that these launches and their events come between none of them.
  for (const std::size_t i : order) {
    Cell& cell = cells[i];
    if (cell.alive && !cell.retired && has_timed_parts(cell)) {
      step(cell, phase::kMeasureParts, [&] { measure_parts(cell, block); });
    }
  }
}

/// The baseline never stops: all others are compared with it.
void GroupRunner::retire_losers(std::vector<Cell>& cells, int blocks_done) const {
  std::vector<Cell*> racing;
  std::vector<double> log_times;
  for (Cell& cell : cells) {
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

void GroupRunner::warm_up(Cell& cell) {
  for (int i = 0; i < request_->measure.warmup; ++i) {
    cell.prepared.executable->launch(tensors_of_launch(i), device_.stream());
  }
  device_.synchronize();
}

const Tensors& GroupRunner::tensors_of_launch(int i) const {
  return device_inputs_[static_cast<std::size_t>(i) % device_inputs_.size()].tensors();
}

void GroupRunner::measure_cell(Cell& cell, int block) {
  warm_up(cell);
  SampleBlock samples{
      request_->process, block,
      device_.time(
          request_->mode, request_->measure.samples,
          [&](int i) { cell.prepared.executable->launch(tensors_of_launch(i), device_.stream()); }),
      device_.throttled()};
  channel_.send({{"event", event::kSample},
                 {"cell", cell.record.cell},
                 {"block", block},
                 {"seconds", samples.seconds}});
  cell.record.samples.push_back(std::move(samples));
}

/// A graph is launched as a whole; its parts show in the other modes. A search does not ask.
bool GroupRunner::has_timed_parts(const Cell& cell) const {
  return request_->keep == 0 && !cell.prepared.parts.empty() &&
         request_->mode != TimingMode::kGraph;
}

void GroupRunner::measure_parts(Cell& cell, int block) {
  const std::vector<LaunchPart>& parts = cell.prepared.parts;
  std::vector<PartTimes>& times = cell.record.parts;
  if (times.empty()) {
    for (const LaunchPart& part : parts) times.push_back({part.name, {}, part.outside});
  }
  warm_up(cell);
  const std::vector<std::vector<double>> seconds = device_.time_parts(
      request_->mode, request_->measure.samples, static_cast<int>(parts.size()),
      [&](int i, int part) {
        parts[static_cast<std::size_t>(part)].launch(tensors_of_launch(i), device_.stream());
      });
  for (std::size_t part = 0; part < parts.size(); ++part) {
    times[part].samples.push_back({request_->process, block, seconds[part]});
  }
}

void GroupRunner::profile(Cell& cell) {
  warm_up(cell);
  {
    const Range profiled(Category::kProfiled);
    const Tensors& tensors = tensors_of_launch(0);
    if (cell.prepared.parts.empty()) {
      const Range range(Category::kPart, "kernel");
      cell.prepared.executable->launch(tensors, device_.stream());
    }
    for (const LaunchPart& part : cell.prepared.parts) {
      const Range range(Category::kPart, part.name);
      part.launch(tensors, device_.stream());
    }
    device_.synchronize();
  }
}

}  // namespace msda
