#include "runner/worker/group_runner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "elapsed.hpp"
#include "measure/shuffle.hpp"
#include "problem/validate.hpp"
#include "reference/bounds.hpp"
#include "runner/protocol/phase.hpp"
#include "runner/worker/process_state.hpp"
#include "runner/worker/settings_of_arm.hpp"
#include "trace/trace.hpp"

namespace msda {
namespace {

using Clock = std::chrono::steady_clock;
using trace::Category;
using trace::Range;

/// An interpreter with its libraries, or a driver, has a few dozen.
constexpr std::ptrdiff_t kMostDescriptors = 256;

/// Of somebody who computes in the types that the tensors have, and so rounds after each operation.
Arithmetic arithmetic_in(const Types& types) {
  Arithmetic arithmetic;
  arithmetic.coordinates.to = format_of(types.location);
  arithmetic.weights.to = format_of(types.weight);
  arithmetic.sums.to = format_of(types.value);
  return arithmetic;
}

}  // namespace

GroupRunner::GroupRunner(Device& device, const Registry& registry, InputSets& inputs,
                         EventChannel& channel)
    : device_(device), registry_(registry), inputs_(inputs), channel_(channel) {}

void GroupRunner::run(const GroupRequest& request) {
  request_ = &request;
  const Range experiment(Category::kExperiment, request.experiment);
  for (const ArmEntry& arm : request.arms) cells_.push_back(make_cell(arm));
  try {
    run_cells();
  } catch (const DeviceBroken&) {
    throw;
  } catch (const std::exception& error) {
    // What no single arm is to blame for: the inputs cannot be read, or do not fit.
    const std::string reason = error.what();
    for_each_alive([&](Cell& cell) { finish(cell, CellStatus::kFailed, reason); });
  }
  for (Cell& cell : cells_) {
    // A destructor that crashes is its arm's fault too.
    channel_.announce(cell.record.cell, phase::kTeardown);
    cell.prepared = {};
  }
  cells_.clear();
  padding_.reset();
  group_inputs_.reset();
  channel_.send({{"event", event::kDone}});
}

bool GroupRunner::any_alive() const {
  return std::any_of(cells_.begin(), cells_.end(), [](const Cell& cell) { return cell.alive; });
}

void GroupRunner::for_each_alive(const std::function<void(Cell&)>& visit) {
  for (Cell& cell : cells_) {
    if (cell.alive) visit(cell);
  }
}

void GroupRunner::run_cells() {
  for_each_alive([&](Cell& cell) { skip_unsupported(cell); });
  compile();
  if (!any_alive()) return;
  if (request_->verified) verify_and_measure();
  // After the samples: no compiler runs beside one, and no result waits for evidence.
  if (request_->evidence && !request_->separately) find_evidence();
  for_each_alive([&](Cell& cell) { finish(cell, CellStatus::kOk); });
}

void GroupRunner::verify_and_measure() {
  load_inputs();
  prepare_and_verify();
  if (request_->timed) {
    measure();
    count_energy();
    for_each_alive([&](Cell& cell) {
      if (cell.retired) return;
      step(cell, phase::kVerifyAgain, [&] { verify_again(cell); });
    });
    for_each_alive(
        [&](Cell& cell) { step(cell, phase::kCheckTime, [&] { check_possible(cell); }); });
  }
  if (request_->profiled) {
    for_each_alive([&](Cell& cell) { step(cell, phase::kProfile, [&] { profile(cell); }); });
  }
}

/// Arms that are prepared one after the other lie one after the other in memory, and where one
/// stands in the list must not matter: each process has an order and places of its own.
void GroupRunner::prepare_and_verify() {
  auto generator =
      generator_of(Purpose::kPreparation,
                   {request_->measure.seed, static_cast<std::uint64_t>(request_->process)});
  const std::vector<std::size_t> order = shuffled(cells_.size(), generator);
  padding_.emplace(device_, generator);
  for (const std::size_t i : order) {
    Cell& cell = cells_[i];
    if (!cell.alive) continue;
    padding_->add();
    prepare_alone(cell);
    if (cell.alive) step(cell, phase::kVerify, [&] { verify_on(cell, 0); });
    if (cell.alive) tell_known(cell);
  }
}

GroupRunner::Cell GroupRunner::make_cell(const ArmEntry& arm) const {
  Cell cell;
  cell.arm = arm;
  identify(cell.record, *request_, arm, device_.info().id, request_->process);
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
    const Operator& asked = find_operator(request_->problem.op);
    const std::string refusal = cell.composition->refuses(asked);
    if (!refusal.empty()) throw Unsupported(refusal);
    cell.composition = cell.composition->computing(asked);
    const Operator& op = cell.composition->op();
    cell.record.op = op.name();
    cell.record.traffic = op.traffic(request_->problem.problem);
    if (cell.composition->placement()) cell.record.devices = cell.composition->device_count();
    const auto reason = cell.composition->unsupported(request_->problem.problem, device_.info());
    if (reason) throw Unsupported(*reason);
  });
}

/// All at the same time first, where a phase without a cell says what is going on; what came of it
/// then becomes each cell's own affair.
void GroupRunner::compile() {
  std::vector<Cell*> composed;
  for_each_alive([&](Cell& cell) {
    if (cell.composition->kernel() == nullptr) composed.push_back(&cell);
  });
  if (!request_->separately && !composed.empty()) compile_together(composed);
  for (Cell* cell : composed) step(*cell, phase::kCompile, [&] { take_build(*cell); });
}

void GroupRunner::compile_together(const std::vector<Cell*>& cells) {
  const Range range(Category::kPhase, phase::kCompile);
  channel_.announce("", phase::kCompile);
  std::vector<const Composition*> compositions;
  compositions.reserve(cells.size());
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
  if (request_->evidence && device_.info().kind == DeviceKind::kCuda) tell_idle(cell);
}

void GroupRunner::load_inputs() {
  const ProblemSpec& spec = request_->problem;
  const int count = request_->measure.input_sets;
  const std::int64_t needed = total_bytes(spec.problem, find_operator(spec.op).tensors()) * count;
  if (needed > device_.free_bytes()) {
    throw EnvironmentError(fmt::format(
        "{} input sets of {} need {} bytes, and {} has {} free; use fewer input_sets or a smaller "
        "batch",
        count, describe(spec.problem), needed, device_.info().id, device_.free_bytes()));
  }
  const Range range(Category::kPhase, phase::kInputs);
  channel_.announce("", phase::kInputs);
  const Heartbeats heartbeats(channel_);
  const std::vector<InputSet>& sets = inputs_.get(spec, count, request_->process);
  std::vector<std::string> hashes;
  hashes.reserve(sets.size());
  for (const InputSet& set : sets) hashes.push_back(set.hash);
  const Operator& op = find_operator(spec.op);
  // Of the values the rows that some point touches: a decoder's touch a part.
  Traffic traffic = op.traffic(spec.problem);
  traffic.read = std::min(traffic.read, op.least_traffic(*sets.front().input).read);
  for (Cell& cell : cells_) {
    cell.record.processes.front().inputs = hashes;
    if (cell.record.op == op.name()) cell.record.traffic = traffic;
  }
  group_inputs_.emplace(device_, sets);
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
  leave_process(reason);
}

void GroupRunner::prepare(Cell& cell) {
  const Clock::time_point start = Clock::now();
  cell.prepared = device_.load(*cell.composition, request_->problem.problem, cell.compiled.build);
  for (std::size_t set = 0; set < group_inputs_->size(); ++set) {
    DeviceInput& input = group_inputs_->on_device(set);
    input.add_derived(device_, find_operator(request_->problem.op), *group_inputs_->set(set).input,
                      *cell.prepared.executable);
    cell.prepared.executable->bind(input.tensors());
  }
  cell.record.prepare_seconds = seconds_since(start);
  cell.record.resources = cell.prepared.resources;
  cell.check.emplace(*cell.composition, *group_inputs_);
}

void GroupRunner::verify_on(Cell& cell, std::size_t set) {
  const Verdict verdict = cell.check->verify(device_, *cell.prepared.executable, set);
  note(verdict, cell.record);
  if (!verdict.right) {
    finish(cell, CellStatus::kWrong, verdict.reason);
    return;
  }
  if (cell.composition->op().name() != request_->problem.op) return;
  if (set == 0) {
    cell.record.processes.front().output = cell.check->output_hash(set);
  }
  compare_with_expected(cell, set);
}

void GroupRunner::verify_again(Cell& cell) {
  const std::size_t set = group_inputs_->size() - 1;
  verify_on(cell, set);
  if (!cell.alive || cell.composition->op().name() != request_->problem.op) return;
  const Verdict verdict = cell.check->verify_other_values(device_, cell.prepared, set);
  if (!verdict.right) finish(cell, CellStatus::kWrong, verdict.reason);
}

/// The largest errors of all verifications.
void GroupRunner::note(const Verdict& verdict, Record& record) const {
  for (const OutputVerdict& output : verdict.outputs) {
    const Comparison& comparison = output.comparison;
    OutputError error{.name = std::string(output.spec->name),
                      .relative_l2 = comparison.relative_l2,
                      .tolerance = output.tolerance,
                      .maximum_absolute = comparison.maximum_absolute,
                      .row_error = comparison.row_excess,
                      .element_error = comparison.element_excess,
                      .worst_element = {},
                      .spread = output.spread,
                      .on_knots = comparison.on_knots};
    if (comparison.element_excess > 0 || std::isnan(comparison.element_excess)) {
      error.worst_element = indices_of(request_->problem.problem, *output.spec,
                                       comparison.worst_element, output.spec->rank);
    }
    const auto known = std::ranges::find(record.outputs, error.name, &OutputError::name);
    if (known == record.outputs.end()) {
      record.outputs.push_back(std::move(error));
    } else {
      known->take_worse(error);
    }
  }
}

/// Both results are rounded, the other one perhaps wherever that is possible.
void GroupRunner::compare_with_expected(Cell& cell, std::size_t set) {
  const Problem& problem = request_->problem.problem;
  const Operator& op = cell.composition->op();
  const std::vector<Truth>& truths = group_inputs_->truths(op, set);
  for (std::size_t i = 0; const std::size_t number : op.outputs(problem)) {
    const std::vector<float>& expected = group_inputs_->set(set).input->expected[number];
    const std::size_t output = i++;
    if (expected.empty()) continue;
    const Comparison comparison = compare_with_other(
        truths[output], group_inputs_->on_device(set).download_output(output), expected);
    cell.record.expected_relative_l2 =
        std::max(cell.record.expected_relative_l2.value_or(0), comparison.relative_l2);
    const double own = cell.record.outputs[output].tolerance;
    const double allowed =
        own + std::max(own, Bounds(arithmetic_in(problem.types), truths[output]).relative_l2());
    if (comparison.relative_l2 <= allowed) continue;
    return finish(cell, CellStatus::kWrong,
                  fmt::format("relative L2 error {:.2e} against the {} that came with the input is "
                              "above {:.2e}",
                              comparison.relative_l2, op.tensors()[number].name, allowed));
  }
}

void GroupRunner::step(Cell& cell, const std::string& phase, const std::function<void()>& action) {
  const Range cell_range(Category::kCell, cell.record.cell);
  const Range phase_range(Category::kPhase, phase);
  cell.record.phase = phase;
  channel_.announce(cell.record.cell, phase, threads_.words_of_others(cell.record.arm));
  beside_ = threads_.seconds_of_others(cell.record.arm);
  const LastingState lasting;
  try {
    {
      const ProcessState restored;
      const SettingsOfArm settings(device_, cell.settings);
      const std::size_t before = open_descriptors();
      action();
      cell.descriptors += static_cast<std::ptrdiff_t>(open_descriptors() - before);
      threads_.give_new_to(cell.record.arm);
    }
    if (cell.alive && cell.descriptors > kMostDescriptors) {
      throw Error(fmt::format("it left {} file descriptors open", cell.descriptors));
    }
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
  const std::string change = lasting.change();
  if (change.empty()) return;
  const std::string reason = fmt::format("{}: it changed for good {}", phase, change);
  if (cell.alive) finish(cell, CellStatus::kFailed, reason);
  leave_process(reason);
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
    // What they write to, or close, may be its own.
    cell.record.reason += threads_.words_of_others(cell.record.arm, &beside_);
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
    if (group_inputs_) group_inputs_->mend(device_);  // whatever it was about to do with them
  } catch (const std::exception&) {
    finish(cell, CellStatus::kCrashed, reason);
    leave_process(reason);
  }
}

/// For the arms that are left, which another process takes.
void GroupRunner::leave_process(const std::string& reason) {
  channel_.send({{"event", event::kBroken}, {"reason", reason}});
  throw DeviceBroken(reason);
}

}  // namespace msda
