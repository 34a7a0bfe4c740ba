#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "design/enumerate.hpp"
#include "runner/plan/plan.hpp"

namespace msda {
namespace {

std::string fraction_text(const Design& design) {
  const Fraction& fraction = design.fraction;
  std::string letters;
  for (std::size_t f = 0; f < design.factors.size(); ++f) {
    letters += fmt::format("{}{} {}", f == 0 ? "" : ", ", static_cast<char>('A' + f),
                           design.factors[f].name);
  }
  std::string text = fmt::format("  fraction of resolution {}: {}\n", fraction.resolution, letters);
  if (!fraction.generators.empty()) {
    text += fmt::format("  generators {}; I = {}\n", fmt::join(fraction.generators, ", "),
                        fmt::join(fraction.relation, " = "));
  }
  for (const std::string& alias : fraction.aliases) text += fmt::format("    {}\n", alias);
  return text;
}

/// Notes or refuses what the loss of one end, "base" or "all", leaves of an ablation.
void check_end(Plan& plan, const std::string& name) {
  const auto arm = std::find_if(plan.arms.begin(), plan.arms.end(),
                                [&](const Arm& candidate) { return candidate.name == name; });
  if (arm == plan.arms.end()) {
    throw UsageError(fmt::format(
        "the ablation's '{}' does not run on {}, and its effects are measured against it; choose "
        "another device, or another base",
        name, plan.device.id));
  }
  std::vector<std::string> lost;
  for (const ProblemSpec& spec : plan.problems) {
    const std::string reason = unsupported_reason(*arm, spec, plan.device);
    if (!reason.empty()) {
      lost.push_back(fmt::format("the ablation of {} loses '{}': {}", spec.name(), name, reason));
    }
  }
  if (lost.size() == plan.problems.size()) throw UsageError(lost.front());
  plan.notes.insert(plan.notes.end(), lost.begin(), lost.end());
}

}  // namespace

void check_ends(Plan& plan) {
  const Design& design = *plan.design;
  const Levels all = all_on(design.factors);
  for (const DesignPoint& point : design.points) {
    const bool is_base = &point == &design.points.front();
    if (is_base || point.levels == all) check_end(plan, point.arm);
  }
}

std::vector<std::string> dropped_notes(const Design& design) {
  std::vector<std::string> notes;
  for (const DroppedPoint& dropped : design.dropped) {
    notes.push_back(fmt::format("arm '{}' is dropped: {}", dropped.point.arm, dropped.reason));
  }
  return notes;
}

double assumed_launch_seconds(const ProblemSpec& spec, DeviceKind kind) {
  constexpr double kGpuBytesPerSecond = 4e12;
  constexpr double kCpuBytesPerSecond = 5e9;
  constexpr double kLaunchSeconds = 10e-6;
  const double rate = kind == DeviceKind::kCuda ? kGpuBytesPerSecond : kCpuBytesPerSecond;
  return kLaunchSeconds +
         static_cast<double>(find_operator(spec.op).traffic(spec.problem).gathered) / rate;
}

std::size_t running_arms(const Plan& plan, const Group& group) {
  const std::vector<Arm> arms = arms_of(plan, group);
  return static_cast<std::size_t>(std::ranges::count_if(arms, [&](const Arm& arm) {
    return unsupported_reason(arm, plan.problem_of(group), plan.device).empty();
  }));
}

double estimate_seconds(const Plan& plan) {
  constexpr double kPrepareSeconds = 1;  // load, verify twice
  const MeasureSettings& measure = plan.measure;
  const double processes = measure.processes;
  double seconds = 0;
  for (const Group& group : plan.groups) {
    const ProblemSpec& problem = plan.problem_of(group);
    const auto arms = static_cast<double>(running_arms(plan, group));
    const double launches = arms * measure.blocks * (measure.samples + measure.warmup);
    const double timed = launches * assumed_launch_seconds(problem, plan.device.kind);
    seconds += std::min(processes * timed, measure.budget.count());
    seconds += kPrepareSeconds * processes * arms;
  }
  return seconds;
}

std::string to_text(const Design& design) {
  std::vector<std::string> kinds;
  for (const DesignKind kind : design.kinds) kinds.emplace_back(name_of(kind));
  std::string text =
      fmt::format("ablation  {}: {} factors, {} combinations\n", fmt::join(kinds, " + "),
                  design.factors.size(), design.points.size());
  for (const Factor& factor : design.factors) {
    text += fmt::format("  {}: {}\n", factor.name, fmt::join(factor.levels, " | "));
  }
  for (const auto& order : design.orders) {
    std::vector<std::string> names;
    names.reserve(order.size());
    for (const std::size_t factor : order) names.push_back(design.factors[factor].name);
    text += fmt::format("  ladder {}\n", fmt::join(names, ", "));
  }
  for (const DroppedPoint& dropped : design.dropped) {
    text += fmt::format("  dropped {}: {}\n", dropped.point.arm, dropped.reason);
  }
  if (design.fraction.resolution > 0) text += fraction_text(design);
  return text;
}

}  // namespace msda
