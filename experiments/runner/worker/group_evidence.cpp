// The part of a group that asks whether each arm does what it is about.
#include <algorithm>

#include "device/compiled_unit.hpp"
#include "evidence/idle.hpp"
#include "jit/launch_plan.hpp"
#include "json_text.hpp"
#include "results/entries_json.hpp"
#include "runner/protocol/phase.hpp"
#include "runner/worker/group_runner.hpp"
#include "trace/trace.hpp"

namespace msda {
namespace {

/// Of a tensor the first images, and of those the first queries.
Bytes cut(const Bytes& tensor, const TensorSpec& spec, const Problem& whole, const Problem& part) {
  if (spec.axes[0] != Axis::kBatch) return tensor;
  const std::size_t of_image = tensor.size() / static_cast<std::size_t>(whole.batch);
  const auto kept = spec.axes[1] == Axis::kQuery
                        ? of_image / static_cast<std::size_t>(whole.queries) *
                              static_cast<std::size_t>(part.queries)
                        : of_image;
  Bytes cut;
  for (std::int64_t image = 0; image < part.batch; ++image) {
    const auto first = tensor.begin() + static_cast<std::ptrdiff_t>(of_image) * image;
    cut.insert(cut.end(), first, first + static_cast<std::ptrdiff_t>(kept));
  }
  return cut;
}

/// The first images and queries of tensors that were read.
Input cut(const Input& input, const Problem& scaled) {
  Input part(scaled, input.specs);
  for (std::size_t i = 0; i < input.specs.size(); ++i) {
    if (input.specs[i].role != TensorSpec::Role::kInput) continue;
    part.tensors[i] = cut(input.tensors[i], input.specs[i], input.problem, scaled);
  }
  part.origin = input.origin;
  return part;
}

}  // namespace

void GroupRunner::tell_idle(Cell& cell) {
  const CompiledUnit& unit = *cell.compiled.build.unit;
  std::vector<std::string> idle = idle_policies(unit.composed, read_plan(unit.module));
  if (idle.empty()) return;
  channel_.send({{"event", event::kVacuous}, {"cell", cell.record.cell}, {"missing", idle}});
  Evidence& evidence = cell.record.evidence.emplace();
  evidence.status = Evidence::Status::kVacuous;
  evidence.missing = std::move(idle);
}

/// Smaller tensors of the kind that the arms were verified on.
SmallInputs GroupRunner::small_inputs() {
  const ProblemSpec& spec = request_->problem;
  if (spec.directory) {
    const Heartbeats heartbeats(channel_);
    const InputSet& set = inputs_.get(spec, request_->measure.input_sets, request_->process)[0];
    return {[&set](const Problem& scaled) { return cut(*set.input, scaled); }, set.hash};
  }
  return {[&spec](const Problem& scaled) {
            return find_operator(spec.op).generate(scaled, spec.generation, 0);
          },
          json_text(write_json(spec))};
}

void GroupRunner::find_evidence() {
  std::vector<Cell*> asked;
  std::vector<EvidenceRequest> requests;
  for_each_alive([&](Cell& cell) {
    if (cell.composition->kernel() != nullptr) return;
    EvidenceRequest& request = requests.emplace_back();
    request.composition = &*cell.composition;
    if (device_.info().kind == DeviceKind::kCuda) request.build = &cell.compiled.build;
    for (const std::string& text : cell.arm.evidence) request.conditions.emplace_back(text);
    asked.push_back(&cell);
  });
  if (requests.empty()) return;
  const trace::Range range(trace::Category::kPhase, phase::kEvidence);
  const auto announce = [&] { channel_.announce("", phase::kEvidence); };
  announce();
  std::vector<Evidence> evidence =
      check_evidence(requests, request_->problem.problem, device_.info(), small_inputs(), announce);
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i]->record.evidence = std::move(evidence[i]);
}

}  // namespace msda
