#include "support/recipe_checks.hpp"

#include <array>
#include <regex>
#include <set>

#include "conformance/levels.hpp"
#include "input/input.hpp"
#include "problem/validate.hpp"
#include "runner/experiment/experiment.hpp"

namespace msda {
namespace {

const std::vector<Case>& recipe_cases() {
  static const std::vector<Case> kCases = [] {
    auto awkward = awkward_problems();
    AwkwardProblem& documents = awkward[5];
    documents.problem.levels = preset("ledger-48").levels;  // a unit for this and for the evidence
    documents.problem.batch = 2;
    documents.problem.queries = 129;
    documents.problem.name = describe(documents.problem);
    return make_cases({documents, awkward[13], awkward[3], awkward[7]});
  }();
  return kCases;
}

/// Two recipes of one kind have the same policies with the same choices; their numbers differ where
/// both are 2 or more.
std::string kind_of(const Composition& composition) {
  static const std::regex kSeveral("=([2-9]|[1-9][0-9]+)\\b");
  return std::regex_replace(composition.describe(), kSeveral, "=n");
}

/// The checks of all recipes: first those of a kind of their own, then those of a kind that an
/// earlier one has.
std::array<std::vector<SimtCheck>, 2> checks_by_kind() {
  constexpr std::size_t kOthers = 3;
  std::array<std::vector<SimtCheck>, 2> checks;
  std::set<std::string> kinds;
  std::size_t number = 0;
  for (const auto& [name, recipe] :
       load_recipes(MSDA_BINARY_DIR "/share/msda/experiments/recipes.yaml", shipped_plugins())) {
    const Composition composition(shipped_plugins(), usable(recipe));
    const bool is_new = kinds.insert(kind_of(composition)).second;
    checks[is_new ? 0 : 1].push_back({is_new ? "recipes" : "numbers",
                                      test_name(name),
                                      composition,
                                      "simt:1:races",
                                      recipe_cases,
                                      {0, 1 + number++ % kOthers}});
  }
  return checks;
}

}  // namespace

std::vector<Composition> shipped_recipes() {
  std::vector<Composition> compositions;
  for (const auto& checks : checks_by_kind()) {
    for (const SimtCheck& check : checks) compositions.push_back(check.composition);
  }
  return compositions;
}

Problem in_half(const char* name) {
  Problem problem = preset(name);
  problem.types = Types::all(DType::kFloat16);
  return problem;
}

std::vector<SimtCheck> recipe_level_checks() {
  std::vector<SimtCheck> checks;
  for (const auto& [name, recipe] :
       load_recipes(MSDA_BINARY_DIR "/share/msda/experiments/recipes.yaml", shipped_plugins())) {
    const std::vector<Use> uses = usable(recipe);
    for (SimtCheck& check : level_checks(test_name(name), uses)) checks.push_back(std::move(check));
    for (SimtCheck& check : padded_level_checks(test_name(name), uses)) {
      checks.push_back(std::move(check));
    }
  }
  return checks;
}

std::vector<SimtCheck> recipe_checks() { return checks_by_kind()[0]; }

std::vector<SimtCheck> recipe_number_checks() { return checks_by_kind()[1]; }

}  // namespace msda
