#include "evidence/evidence.hpp"

#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "device/compiled_unit.hpp"
#include "evidence/counts.hpp"
#include "evidence/idle.hpp"
#include "evidence/simt_counts.hpp"
#include "jit/launch_plan.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

/// The conditions of a composition's variants, each with the name of who declares it, and those of
/// recipes and claims.
std::vector<std::pair<std::string, Condition>> conditions_of(const EvidenceRequest& request,
                                                             const Problem& problem) {
  std::vector<std::pair<std::string, Condition>> all;
  const auto add = [&](const Part& part) {
    for (const std::string& text : part.plugin->variant->evidence(problem, part.parameters)) {
      all.emplace_back(part.plugin->name, Condition(text));
    }
  };
  for (const Part& part : request.composition->parts()) add(part);
  if (request.composition->placement()) add(*request.composition->placement());
  for (const Condition& condition : request.conditions) all.emplace_back("asked for", condition);
  return all;
}

/// What the code for a GPU says; of a device simt its own unit says it.
std::vector<std::string> idle_on_gpu(const EvidenceRequest& request) {
  if (request.build == nullptr || !request.build->unit) return {};
  const CompiledUnit& unit = *request.build->unit;
  return idle_policies(unit.composed, read_plan(unit.module));
}

Numbers instructions_of(const EvidenceRequest& request) {
  if (request.build == nullptr || !request.build->unit) return {};
  const CompiledUnit& unit = *request.build->unit;
  return sass_numbers(unit.module, unit.module.kernels.at(unit.composed.main_kernel).symbol);
}

/// Which of the two sources of numbers there are.
struct Known {
  bool threads = false;
  bool instructions = false;
};

/// Checks what the numbers can tell; the number of conditions that were checked.
int check_conditions(const EvidenceRequest& request, const Problem& problem, const Known& known,
                     Evidence& evidence) {
  int checked = 0;
  for (const auto& [who, condition] : conditions_of(request, problem)) {
    if (!(condition.is_of_sass() ? known.instructions : known.threads)) continue;
    ++checked;
    if (condition.holds(evidence.numbers)) continue;
    evidence.missing.push_back(fmt::format("{}: {}", who, condition.refuted_by(evidence.numbers)));
  }
  return checked;
}

Evidence check(const EvidenceRequest& request, const Problem& problem, SimtCounter& counter) {
  Evidence evidence;
  Known known;
  try {
    Counts counts = counter.count(*request.composition);
    evidence.numbers = std::move(counts.numbers);
    evidence.missing = std::move(counts.idle);
    known.threads = true;
  } catch (const std::exception& error) {  // instructions may tell something all the same
    evidence.reason = fmt::format("its threads are not counted: {}", error.what());
    evidence.missing = idle_on_gpu(request);
  }
  const Numbers instructions = instructions_of(request);
  known.instructions = !instructions.empty();
  evidence.numbers.insert(instructions.begin(), instructions.end());
  const int checked = check_conditions(request, problem, known, evidence);
  if (!evidence.missing.empty()) {
    evidence.status = Evidence::Status::kVacuous;
  } else if (known.threads || checked > 0) {
    evidence.status = Evidence::Status::kShown;
  }
  return evidence;
}

}  // namespace

std::vector<Evidence> check_evidence(const std::vector<EvidenceRequest>& requests,
                                     const Problem& problem, const DeviceInfo& device,
                                     const SmallInputs& inputs,
                                     const std::function<void()>& on_progress) {
  std::vector<Evidence> all(requests.size());
  SimtCounter counter(problem, device, inputs);
  std::mutex mutex;
  parallel_for(static_cast<std::int64_t>(requests.size()), 1, 0,
               [&](std::int64_t begin, std::int64_t) {
                 const auto i = static_cast<std::size_t>(begin);
                 try {
                   all[i] = check(requests[i], problem, counter);
                 } catch (const std::exception& error) {
                   all[i].reason = error.what();
                 }
                 const std::lock_guard lock(mutex);
                 if (on_progress) on_progress();
               });
  return all;
}

}  // namespace msda
