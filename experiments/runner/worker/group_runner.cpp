#include "runner/worker/group_runner.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "elapsed.hpp"
#include "problem/validate.hpp"
#include "runner/protocol/phase.hpp"
#include "trace/trace.hpp"

namespace msda {
namespace {

using Clock = std::chrono::steady_clock;
using trace::Category;
using trace::Range;

bool all_fp32(const Types& types) { return types == Types::all(DType::kFloat32); }

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
    channel_.announce(cell.record.cell, phase::kTeardown);
    cell.prepared = {};
  }
  device_inputs_.clear();
  sets_.clear();
  copies_.clear();
  channel_.send({{"event", event::kDone}});
}

bool GroupRunner::any_alive(const std::vector<Cell>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.alive; });
}

void GroupRunner::run_cells(std::vector<Cell>& cells) {
  for (Cell& cell : cells) skip_unsupported(cell);
  compile(cells);
  if (!any_alive(cells)) return;
  load_inputs(cells);
  for (Cell& cell : cells) {
    if (cell.alive) prepare_alone(cell);
    if (cell.alive) step(cell, phase::kVerify, [&] { verify_on(cell, 0); });
    if (cell.alive) tell_known(cell);
  }
  if (request_->timed) {
    measure(cells);
    for (Cell& cell : cells) {
      if (cell.alive && !cell.retired)
        step(cell, phase::kVerifyAgain, [&] { verify_on(cell, sets_.size() - 1); });
    }
  }
  if (request_->profiled) {
    for (Cell& cell : cells) {
      if (cell.alive) step(cell, phase::kProfile, [&] { profile(cell); });
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
  record.processes.emplace_back().process = request_->process;
  return cell;
}

void GroupRunner::skip_unsupported(Cell& cell) {
  step(cell, phase::kCheck, [&] {
    if (request_->timed) {
      const std::string reason = device_.mode_unsupported(request_->mode);
      if (!reason.empty()) throw Unsupported(reason);
    }
    if (!cell.arm.refused.empty()) throw Unsupported(cell.arm.refused);
    cell.composition.emplace(registry_, cell.arm.uses);
    const auto reason = cell.composition->unsupported(request_->problem.problem, device_.info());
    if (reason) throw Unsupported(*reason);
  });
}

/// All at the same time first, where a phase without a cell says what is going on; what came of it
/// then becomes each cell's own affair.
void GroupRunner::compile(std::vector<Cell>& cells) {
  std::vector<Cell*> composed;
  for (Cell& cell : cells) {
    if (cell.alive && cell.composition->kernel() == nullptr) composed.push_back(&cell);
  }
  if (!request_->separately && !composed.empty()) compile_together(composed);
  for (Cell* cell : composed) step(*cell, phase::kCompile, [&] { take_build(*cell); });
}

void GroupRunner::compile_together(const std::vector<Cell*>& cells) {
  const Range range(Category::kPhase, phase::kCompile);
  channel_.announce("", phase::kCompile);
  std::vector<const Composition*> compositions;
  for (const Cell* cell : cells) compositions.push_back(&*cell->composition);
  // Each arm's end is a sign of life. Heartbeats from a timer would go on for a compiler that
  // hangs.
  std::vector<CompileOutcome> outcomes = compile_all(
      device_, compositions, request_->problem.problem, [&](const CompileProgress& progress) {
        channel_.send({{"event", event::kCompiled},
                       {"done", progress.done},
                       {"count", progress.count},
                       {"from_cache", progress.from_cache},
                       {"seconds", progress.seconds}});
      });
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i]->compiled = std::move(outcomes[i]);
}

void GroupRunner::take_build(Cell& cell) {
  if (cell.compiled.failure) std::rethrow_exception(cell.compiled.failure);
  Build& build = cell.compiled.build;
  if (!build.unit) build = device_.compile(*cell.composition, request_->problem.problem);
  cell.record.compilation = build.compilation;
}

void GroupRunner::load_inputs(std::vector<Cell>& cells) {
  const ProblemSpec& spec = request_->problem;
  const int count = request_->measure.input_sets;
  const std::int64_t needed = spec.problem.total_bytes() * count;
  if (needed > device_.free_bytes()) {
    throw EnvironmentError(fmt::format(
        "{} input sets of {} need {} bytes, and {} has {} free; use fewer input_sets or a smaller "
        "batch",
        count, describe(spec.problem), needed, device_.info().id, device_.free_bytes()));
  }
  const Range range(Category::kPhase, phase::kInputs);
  channel_.announce("", phase::kInputs);
  const Heartbeats heartbeats(channel_);
  sets_ = inputs_.get(spec, count, request_->process);
  std::vector<std::string> hashes;
  for (const InputSet& set : sets_) hashes.push_back(set.hash);
  for (Cell& cell : cells) cell.record.processes.front().inputs = hashes;
  for (const InputSet& set : sets_) device_inputs_.emplace_back(device_, *set.input);
}

/// An arm that fails and leaves the device with less memory than it found must not have it taken
/// from the others: only the end of the process gives it back.
void GroupRunner::prepare_alone(Cell& cell) {
  constexpr std::int64_t kWorthARestart = 64 << 20;
  const std::int64_t free = device_.free_bytes();
  step(cell, phase::kPrepare, [&] { prepare(cell); });
  // What the host has free changes by itself, and it is what every device but a GPU tells of.
  if (cell.alive || device_.info().kind != DeviceKind::kCuda) return;
  const std::int64_t lost = free - device_.free_bytes();
  if (lost < kWorthARestart) return;
  const std::string reason =
      fmt::format("{} failed and left {} bytes of the device allocated", cell.record.cell, lost);
  channel_.send({{"event", event::kBroken}, {"reason", reason}});
  throw DeviceBroken(reason);
}

void GroupRunner::prepare(Cell& cell) {
  const Clock::time_point start = Clock::now();
  cell.prepared = device_.load(*cell.composition, request_->problem.problem, cell.compiled.build);
  for (std::size_t set = 0; set < device_inputs_.size(); ++set) {
    DeviceInput& input = device_inputs_[set];
    if (cell.prepared.executable->wants_logits()) input.add_logits(device_, *sets_[set].input);
    cell.prepared.executable->bind(input.tensors());
  }
  cell.record.prepare_seconds = seconds_since(start);
  cell.record.resources = cell.prepared.resources;
}

const std::vector<double>& GroupRunner::expected(const Composition& composition, std::size_t set) {
  if (composition.computes() == Computes::kAttention) return *sets_.at(set).reference;
  auto [found, is_new] = copies_.try_emplace(set);
  if (is_new) found->second = copy_reference(*sets_.at(set).input);
  return found->second;
}

void GroupRunner::verify_on(Cell& cell, std::size_t set) {
  const Verdict verdict =
      verify(device_, *cell.prepared.executable, *cell.composition, device_inputs_.at(set),
             request_->problem.problem, expected(*cell.composition, set));
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
  if (cell.composition->computes() != Computes::kAttention) return;
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

void GroupRunner::step(Cell& cell, const std::string& phase, const std::function<void()>& action) {
  const Range cell_range(Category::kCell, cell.record.cell);
  const Range phase_range(Category::kPhase, phase);
  cell.record.phase = phase;
  channel_.announce(cell.record.cell, phase);
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

/// For the record of a worker that is lost later on.
void GroupRunner::tell_known(const Cell& cell) {
  channel_.send({{"event", event::kKnown}, {"record", to_json(cell.record)}});
}

void GroupRunner::finish(Cell& cell, CellStatus status, const std::string& reason) {
  cell.alive = false;
  cell.record.status = status;
  cell.record.reason = reason;
  if (status == CellStatus::kOk) {
    cell.record.phase.clear();
  } else {
    cell.record.samples.clear();  // an arm without a verified result has no time
    cell.record.parts.clear();
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
