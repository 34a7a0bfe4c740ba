#include "conformance/levels.hpp"

#include <fmt/format.h>

#include "problem/validate.hpp"

namespace msda {
namespace {

const std::vector<Case>& pyramid_cases() {
  static const std::vector<Case> kCases = [] {
    const std::vector<std::vector<Level>> pyramids = {
        {{17, 23}, {9, 12}, {5, 6}, {3, 3}},    {{40, 60}, {30, 40}, {20, 20}, {5, 5}},
        {{10, 10}, {40, 40}, {40, 40}, {5, 5}}, {{2, 2}, {5, 5}, {10, 10}, {40, 60}},
        {{1, 13}, {8, 1}, {6, 9}, {1, 1}},
    };
    std::vector<AwkwardProblem> problems;
    for (const std::vector<Level>& levels : pyramids) {
      AwkwardProblem& one = problems.emplace_back(awkward_problems()[5]);
      one.problem.batch = 2;
      one.problem.queries = 19;
      one.problem.heads = 2;
      one.problem.points = 4;
      one.problem.levels = levels;
      one.problem.name = describe(one.problem);
      one.generation.distribution = Distribution::kOutside;
    }
    return make_cases(problems);
  }();
  return kCases;
}

}  // namespace

std::optional<Composition> with_levels(const std::vector<Use>& uses, LevelForm form) {
  std::vector<Use> all = uses;
  all.push_back({kLevelsVariant, {{kSizesParameter, std::string(name_of(form))}}});
  const Composition plain(shipped_plugins(), uses);
  try {
    return Composition(shipped_plugins(), all);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

std::vector<SimtCheck> level_checks(const std::string& name, const std::vector<Use>& uses) {
  std::vector<SimtCheck> checks;
  for (const LevelForm form : {LevelForm::kGiven, LevelForm::kStored}) {
    const auto composition = with_levels(uses, form);
    if (!composition) continue;
    checks.push_back({"levels",
                      fmt::format("{}_{}", name, name_of(form)),
                      *composition,
                      "simt:1:races",
                      pyramid_cases,
                      {0, 1, 2, 3, 4}});
  }
  return checks;
}

}  // namespace msda
