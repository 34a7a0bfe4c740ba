// The part of a group that asks whether each arm does what it is about.
#include <algorithm>

#include "device/compiled_unit.hpp"
#include "evidence/idle.hpp"
#include "jit/launch_plan.hpp"
#include "results/entries_json.hpp"
#include "runner/protocol/phase.hpp"
#include "runner/worker/group_runner.hpp"
#include "trace/trace.hpp"

namespace msda {
namespace {

/// The beginning of each image's part of a tensor: `kept` of `all` bytes, of the first `images`.
Bytes cut(const Bytes& tensor, std::int64_t all_images, std::int64_t images, double share) {
  const std::size_t of_image = tensor.size() / static_cast<std::size_t>(all_images);
  const auto kept = static_cast<std::ptrdiff_t>(static_cast<double>(of_image) * share + 0.5);
  Bytes part;
  for (std::int64_t image = 0; image < images; ++image) {
    const auto first = tensor.begin() + static_cast<std::ptrdiff_t>(of_image) * image;
    part.insert(part.end(), first, first + kept);
  }
  return part;
}

/// The first images and queries of tensors that were read.
Input cut(const Input& input, const Problem& scaled) {
  const Problem& whole = input.problem;
  const double queries = static_cast<double>(scaled.queries) / static_cast<double>(whole.queries);
  Input part;
  part.problem = scaled;
  part.value = cut(input.value, whole.batch, scaled.batch, 1);
  part.locations = cut(input.locations, whole.batch, scaled.batch, queries);
  part.weights = cut(input.weights, whole.batch, scaled.batch, queries);
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
  return {[&spec](const Problem& scaled) { return generate(scaled, spec.generation); },
          write_json(spec).dump()};
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
