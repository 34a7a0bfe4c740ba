#include "recipe_checks.hpp"

#include "input/input.hpp"
#include "problem/validate.hpp"
#include "runner/spec/experiment.hpp"

namespace msda {
namespace {

const std::vector<Case>& recipe_cases() {
  static const std::vector<Case> kCases = [] {
    auto awkward = awkward_problems();
    AwkwardProblem& documents = awkward[5];
    documents.problem.levels = preset("ledger-48").levels;  // a unit for this and for the evidence
    documents.problem.batch = 3;
    documents.problem.queries = 129;
    documents.problem.name = describe(documents.problem);
    return make_cases({documents, awkward[13], awkward[3], awkward[7]});
  }();
  return kCases;
}

}  // namespace

std::vector<Composition> shipped_recipes() {
  std::vector<Composition> compositions;
  for (const SimtCheck& check : recipe_checks()) compositions.push_back(check.composition);
  return compositions;
}

Problem in_half(const char* name) {
  Problem problem = preset(name);
  problem.types = Types::all(DType::kFloat16);
  return problem;
}

std::vector<SimtCheck> recipe_checks() {
  constexpr std::size_t kOthers = 3;
  std::vector<SimtCheck> checks;
  for (const auto& [name, recipe] :
       load_recipes(MSDA_BINARY_DIR "/share/msda/experiments/recipes.yaml", shipped_plugins())) {
    checks.push_back({"recipes",
                      test_name(name),
                      Composition(shipped_plugins(), usable(recipe)),
                      "simt:1:races",
                      recipe_cases,
                      {0, 1 + checks.size() % kOthers}});
  }
  return checks;
}

}  // namespace msda
