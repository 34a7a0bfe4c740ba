#include "runner/group_runner.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include <fmt/format.h>

#include "trace/trace.hpp"

namespace msda {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using trace::Category;
using trace::Range;

double seconds_since(Clock::time_point start) { return Seconds(Clock::now() - start).count(); }

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

bool all_fp32(const Types& types) { return types == Types::all(DType::kFloat32); }

bool any_alive(const auto& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.alive; });
}

}  // namespace

GroupRunner::GroupRunner(Device& device, const Registry& registry, InputSets& inputs,
                         EventChannel& channel)
    : device_(device), registry_(registry), inputs_(inputs), channel_(channel) {}

void GroupRunner::run(const GroupRequest& request) {
  request_ = &request;
  const Range experiment(Category::kExperiment, request.experiment);
  std::vector<Cell> cells;
  for (const Arm& arm : request.arms) cells.push_back(make_cell(arm));
  try {
    run_cells(cells);
  } catch (const DeviceBroken&) {
    throw;
  } catch (const std::exception& error) {
    // What no single arm is to blame for: the inputs cannot be read, or do not fit.
    for (Cell& cell : cells) {
      if (cell.alive) finish(cell, CellStatus::kFailed, error.what());
    }
  }
  for (Cell& cell : cells) {
    // A destructor that crashes is its arm's fault too.
    announce(cell.record.cell, "teardown");
    cell.prepared = {};
  }
  device_inputs_.clear();
  sets_.clear();
  channel_.send({{"event", event::kDone}});
}

void GroupRunner::run_cells(std::vector<Cell>& cells) {
  for (Cell& cell : cells) skip_unsupported(cell);
  if (!any_alive(cells)) return;
  load_inputs();
  for (Cell& cell : cells) {
    if (cell.alive) step(cell, "prepare", [&] { prepare(cell); });
    if (cell.alive) step(cell, "verify", [&] { verify_on(cell, 0); });
  }
  if (request_->timed) {
    measure(cells);
    for (Cell& cell : cells) {
      if (cell.alive) step(cell, "verify again", [&] { verify_on(cell, sets_.size() - 1); });
    }
  }
  for (Cell& cell : cells) {
    if (cell.alive) finish(cell, CellStatus::kOk);
  }
}

GroupRunner::Cell GroupRunner::make_cell(const Arm& arm) const {
  const Problem& problem = request_->problem.problem;
  Cell cell;
  cell.arm = arm;
  Record& record = cell.record;
  record.cell = cell_name(problem.name, arm.name, request_->mode);
  record.problem = problem.name;
  record.arm = arm.name;
  record.composition = arm.composition;
  record.mode = request_->mode;
  record.device = device_.info().id;
  record.baseline = arm.name == request_->baseline;
  record.minimum_dram_bytes = problem.minimum_dram_bytes();
  record.gathered_bytes = problem.gathered_bytes();
  record.flops = problem.flops();
  return cell;
}

void GroupRunner::skip_unsupported(Cell& cell) {
  step(cell, "check", [&] {
    if (request_->timed) {
      const std::string reason = device_.mode_unsupported(request_->mode);
      if (!reason.empty()) throw Unsupported(reason);
    }
    cell.composition.emplace(registry_, cell.arm.uses);
    const auto reason = cell.composition->unsupported(request_->problem.problem, device_.info());
    if (reason) throw Unsupported(*reason);
  });
}

void GroupRunner::load_inputs() {
  const ProblemSpec& spec = request_->problem;
  const int count = request_->measure.input_sets;
  const std::int64_t needed = spec.problem.total_bytes() * count;
  if (needed > device_.free_bytes()) {
    throw EnvironmentError(fmt::format(
        "{} input sets of {} need {} bytes, and {} has {} free; use fewer input_sets or a smaller "
        "batch",
        count, describe(spec.problem), needed, device_.info().id, device_.free_bytes()));
  }
  const Range phase(Category::kPhase, "inputs and references");
  announce("", "inputs and references");
  const Heartbeats heartbeats(channel_);
  sets_ = inputs_.get(spec, count, request_->process);
  for (const InputSet& set : sets_) device_inputs_.emplace_back(device_, *set.input);
}

void GroupRunner::prepare(Cell& cell) {
  const Clock::time_point start = Clock::now();
  cell.prepared = device_.prepare(*cell.composition, request_->problem.problem);
  for (const DeviceInput& input : device_inputs_) cell.prepared.executable->bind(input.tensors());
  cell.record.prepare_seconds = seconds_since(start);
  cell.record.resources = cell.prepared.resources;
}

void GroupRunner::verify_on(Cell& cell, std::size_t set) {
  const Verdict verdict =
      verify(device_, *cell.prepared.executable, *cell.composition, device_inputs_.at(set),
             request_->problem.problem, *sets_.at(set).reference);
  Record& record = cell.record;
  record.tolerance = verdict.tolerance;
  // A NaN error must stay visible, and std::max would drop it.
  if (!(verdict.comparison.relative_l2 <= record.relative_l2)) {
    record.relative_l2 = verdict.comparison.relative_l2;
  }
  record.maximum_absolute = std::max(record.maximum_absolute, verdict.comparison.maximum_absolute);
  if (!verdict.right) {
    finish(cell, CellStatus::kWrong, verdict.reason);
  } else {
    compare_with_expected(cell, set);
  }
}

void GroupRunner::compare_with_expected(Cell& cell, std::size_t set) {
  const Problem& problem = request_->problem.problem;
  const auto& expected = sets_.at(set).input->expected;
  if (!expected || !all_fp32(problem.types)) return;
  const std::vector<double> wanted(expected->begin(), expected->end());
  const Comparison comparison = compare(problem, device_inputs_.at(set).download_output(), wanted);
  cell.record.expected_relative_l2 = comparison.relative_l2;
  if (!(comparison.relative_l2 <= cell.record.tolerance)) {
    finish(cell, CellStatus::kWrong,
           fmt::format("relative L2 error {:.2e} against the output that came with the input is "
                       "above the tolerance {:.0e}",
                       comparison.relative_l2, cell.record.tolerance));
  }
}

void GroupRunner::measure(std::vector<Cell>& cells) {
  const MeasureSettings& settings = request_->measure;
  const Clock::time_point start = Clock::now();
  std::string stopped_by = "blocks";
  for (int block = 0; block < settings.blocks; ++block) {
    if (!any_alive(cells)) return;
    if (block > 0 && seconds_since(start) > settings.budget.count()) {
      stopped_by = "budget";
      break;
    }
    measure_block(cells, block);
  }
  for (Cell& cell : cells) cell.record.stopped_by = stopped_by;
}

void GroupRunner::measure_block(std::vector<Cell>& cells, int block) {
  const Range range(Category::kBlock, std::to_string(block));
  for (const std::size_t i :
       shuffled(cells.size(), request_->measure.seed, request_->process, block)) {
    Cell& cell = cells[i];
    if (cell.alive) step(cell, "measure", [&] { measure_cell(cell, block); });
  }
}

void GroupRunner::measure_cell(Cell& cell, int block) {
  const MeasureSettings& settings = request_->measure;
  const auto launch = [&](int i) {
    const std::size_t set = static_cast<std::size_t>(i) % device_inputs_.size();
    cell.prepared.executable->launch(device_inputs_[set].tensors(), device_.stream());
  };
  for (int i = 0; i < settings.warmup; ++i) launch(i);
  device_.synchronize();
  SampleBlock samples{request_->process, block,
                      device_.time(request_->mode, settings.samples, launch)};
  channel_.send({{"event", event::kSample},
                 {"cell", cell.record.cell},
                 {"block", block},
                 {"seconds", samples.seconds}});
  cell.record.samples.push_back(std::move(samples));
}

void GroupRunner::step(Cell& cell, const std::string& phase, const std::function<void()>& action) {
  const Range cell_range(Category::kCell, cell.record.cell);
  const Range phase_range(Category::kPhase, phase);
  announce(cell.record.cell, phase);
  try {
    action();
  } catch (const Unsupported& error) {
    finish(cell, CellStatus::kSkipped, error.what());
  } catch (const std::exception& error) {
    const std::string reason = fmt::format("{}: {}", phase, error.what());
    check_device(cell, reason);
    finish(cell, CellStatus::kFailed, reason);
  } catch (...) {
    const std::string reason = phase + ": an exception that is not a std::exception";
    check_device(cell, reason);
    finish(cell, CellStatus::kFailed, reason);
  }
}

void GroupRunner::announce(const std::string& cell, const std::string& phase) {
  channel_.send({{"event", event::kPhase},
                 {"cell", cell},
                 {"phase", phase},
                 {"range", trace::open_ranges()}});
}

void GroupRunner::finish(Cell& cell, CellStatus status, const std::string& reason) {
  cell.alive = false;
  cell.record.status = status;
  cell.record.reason = reason;
  if (status != CellStatus::kOk) {
    cell.record.samples.clear();  // an arm without a verified result has no time
    cell.record.stopped_by.clear();
  }
  channel_.send({{"event", event::kRecord}, {"record", to_json(cell.record)}});
}

/// A failed launch can leave a GPU context in which every later call fails too; the other arms must
/// not pay for that, so the worker ends and a new one goes on.
void GroupRunner::check_device(Cell& cell, const std::string& reason) {
  try {
    device_.synchronize();
  } catch (const std::exception&) {
    finish(cell, CellStatus::kCrashed, reason);
    channel_.send({{"event", event::kBroken}, {"reason", reason}});
    throw DeviceBroken(reason);
  }
}

}  // namespace msda
