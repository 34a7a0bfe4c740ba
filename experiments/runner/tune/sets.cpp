#include "runner/tune/sets.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "runner/experiment/winners.hpp"

namespace msda {

std::vector<Set> sets_of(const Plan& plan, const std::vector<Group>& groups, bool together) {
  std::vector<Set> sets;
  for (const Group& group : groups) {
    const auto same = std::ranges::find_if(sets, [&](const Set& set) {
      return together && set.front().mode == group.mode &&
             family_of(plan.problem_of(set.front())) == family_of(plan.problem_of(group));
    });
    if (same == sets.end()) {
      sets.push_back({group});
    } else {
      same->push_back(group);
    }
  }
  return sets;
}

std::vector<ProblemSpec> problems_of(const Plan& plan, const Set& set) {
  std::vector<ProblemSpec> problems;
  for (const Group& group : set) problems.push_back(plan.problem_of(group));
  return problems;
}

std::string title_of(const std::vector<ProblemSpec>& problems) {
  return problems.size() == 1 ? problems.front().name()
                              : fmt::format("{} problems", problems.size());
}

std::vector<Arm> arms_of_all(const Plan& plan, const Set& set) {
  std::vector<Arm> common = arms_of(plan, set.front());
  for (std::size_t i = 1; i < set.size(); ++i) {
    const std::vector<Arm> arms = arms_of(plan, set[i]);
    std::erase_if(common, [&](const Arm& arm) {
      return std::ranges::none_of(arms, [&](const Arm& other) {
        return other.name == arm.name && other.composition == arm.composition;
      });
    });
  }
  return common;
}

std::string unsupported_reason(const Arm& arm, const std::vector<ProblemSpec>& problems,
                               const DeviceInfo& device) {
  for (const ProblemSpec& problem : problems) {
    std::string reason = unsupported_reason(arm, problem, device);
    if (!reason.empty()) return reason;
  }
  return "";
}

const Arm* baseline_for(const Plan& plan, const std::vector<Arm>& arms,
                        const std::vector<ProblemSpec>& problems) {
  const auto can_run = [&](const Arm& arm) {
    return unsupported_reason(arm, problems, plan.device).empty();
  };
  const auto first = std::find_if(arms.begin(), arms.end(), [&](const Arm& arm) {
    return arm.name == plan.baseline && can_run(arm);
  });
  if (first != arms.end()) return &*first;
  const auto other = std::find_if(arms.begin(), arms.end(), can_run);
  return other == arms.end() ? nullptr : &*other;
}

std::string mode_refusal(const Plan& plan, TimingMode mode) {
  // A GPU has every mode, and opening it here would take memory that the workers measure with.
  if (plan.device.kind != DeviceKind::kCpu) return "";
  return open_device(plan.device.id)->mode_unsupported(mode);
}

std::vector<Arm> known_arms(const std::vector<Arm>& arms, const Arm& baseline) {
  std::vector<Arm> known;
  for (const Arm& arm : arms) {
    if (arm.composition != baseline.composition && arm.refused.empty()) known.push_back(arm);
  }
  return known;
}

void check_together(const Plan& plan) {
  if (plan.devices.size() > 1 || plan.shard.count > 1) {
    throw UsageError(
        "a search for all problems together needs all of them on one device: leave out --devices "
        "and --shard");
  }
  std::map<std::string, std::vector<std::string>> families;
  for (const ProblemSpec& problem : plan.problems) {
    families[family_of(problem)].push_back(problem.name());
  }
  for (const auto& [family, names] : families) {
    if (families.size() == 1 || names.size() > 1) continue;
    throw UsageError(fmt::format(
        "problems are searched together with others of their family, and {} is alone in {}: give "
        "it the heads, channels, points, types and queries of others, or a file of its own",
        names.front(), family));
  }
}

}  // namespace msda
