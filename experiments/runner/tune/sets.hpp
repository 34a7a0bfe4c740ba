// What one search is about: the problems that it looks for a composition on, and the arms that it
// begins with.
#pragma once

#include <string>
#include <vector>

#include "runner/plan/plan.hpp"

namespace msda {

/// Groups of one mode that are searched at once: one, or all of a family.
using Set = std::vector<Group>;

/// `together`: those of one mode and family are one set.
std::vector<Set> sets_of(const Plan& plan, const std::vector<Group>& groups, bool together);

std::vector<ProblemSpec> problems_of(const Plan& plan, const Set& set);

/// "ddetr-encoder", "8 problems"
std::string title_of(const std::vector<ProblemSpec>& problems);

/// The arms that are one composition in all groups, so that `use: best` is none that differs.
std::vector<Arm> arms_of_all(const Plan& plan, const Set& set);

/// Why an arm cannot run on one of the problems, or "".
std::string unsupported_reason(const Arm& arm, const std::vector<ProblemSpec>& problems,
                               const DeviceInfo& device);

/// The arm that a search has to beat: the plan's baseline, or the first of `arms` that can run
/// where that one cannot; nullptr when none can run on all problems.
const Arm* baseline_for(const Plan& plan, const std::vector<Arm>& arms,
                        const std::vector<ProblemSpec>& problems);

/// Why nothing can be searched in a mode on the plan's device, "a CPU has no graphs to launch"; or
/// "".
std::string mode_refusal(const Plan& plan, TimingMode mode);

/// The arms that can be candidates, the baseline and its repetitions left out.
std::vector<Arm> known_arms(const std::vector<Arm>& arms, const Arm& baseline);

/// Throws UsageError when of several families one has a single problem, or the plan has a part of
/// the problems.
void check_together(const Plan& plan);

}  // namespace msda
