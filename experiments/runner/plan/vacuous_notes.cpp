#include "runner/plan/vacuous_notes.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <msda/error.hpp>

#include "evidence/idle.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

/// An arm on a problem, in whatever mode.
struct Asked {
  std::string arm;
  std::string problem;
  ComposedUnit composed;
  std::vector<std::string> idle{};
};

/// Those that would run and are no kernels of their own.
std::vector<Asked> all_asked(const Plan& plan) {
  std::vector<Asked> all;
  std::set<std::pair<std::string, std::string>> known;
  for (const Group& group : plan.groups) {
    const ProblemSpec& spec = plan.problem_of(group);
    for (const Arm& arm : arms_of(plan, group)) {
      if (!unsupported_reason(arm, spec, plan.device).empty()) continue;
      if (arm.resolved->kernel() != nullptr) continue;
      if (!known.emplace(arm.name + "\n" + arm.composition, spec.name()).second) continue;
      all.push_back({arm.name, spec.name(),
                     write_unit(arm.resolved->computing(find_operator(spec.op)), spec.problem)});
    }
  }
  return all;
}

/// Problems that differ in batch and queries share their units, and so do arms of one composition.
void ask(const HostCompiler& compiler, std::vector<Asked>& all) {
  std::map<std::string, std::vector<Asked*>> by_unit;
  for (Asked& asked : all) by_unit[asked.composed.unit.text].push_back(&asked);
  std::vector<std::vector<Asked*>> units;
  units.reserve(by_unit.size());
  for (auto& [text, sharing] : by_unit) units.push_back(std::move(sharing));
  parallel_for(std::ssize(units), 1, 0, [&](std::int64_t begin, std::int64_t) {
    const std::vector<Asked*>& sharing = units[static_cast<std::size_t>(begin)];
    try {
      const std::vector<std::string> idle = idle_policies(sharing.front()->composed, compiler);
      for (Asked* asked : sharing) asked->idle = idle;
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): a run tells what does not compile
    }
  });
}

}  // namespace

std::vector<std::string> vacuous_notes(const Plan& plan) {
  std::vector<Asked> all = all_asked(plan);
  if (all.empty()) return {};
  try {
    ask(HostCompiler(), all);
  } catch (const EnvironmentError& error) {
    return {fmt::format("whether an arm has nothing to do is not known: {}", error.what())};
  }
  std::vector<std::pair<std::string, std::string>> order;  ///< arm and reason
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> problems;
  for (const Asked& asked : all) {
    for (const std::string& reason : asked.idle) {
      std::vector<std::string>& of = problems[{asked.arm, reason}];
      if (of.empty()) order.emplace_back(asked.arm, reason);
      of.push_back(asked.problem);
    }
  }
  std::vector<std::string> notes;
  notes.reserve(order.size());
  for (const auto& vacuous : order) {
    notes.push_back(fmt::format("{} has no effect on {}: {}", vacuous.first,
                                fmt::join(problems[vacuous], ", "), vacuous.second));
  }
  return notes;
}

}  // namespace msda
