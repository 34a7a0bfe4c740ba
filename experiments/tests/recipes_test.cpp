// The recipes that ship compile for the architectures of interest, on a machine without a GPU.
#include <gtest/gtest.h>

#include "conformance/combinations.hpp"
#include "input/input.hpp"
#include "runner/spec/experiment.hpp"

namespace msda {
namespace {

std::vector<Composition> shipped_recipes() {
  std::vector<Composition> compositions;
  const Recipes recipes =
      load_recipes(MSDA_BINARY_DIR "/share/msda/experiments/recipes.yaml", shipped_plugins());
  for (const auto& [name, recipe] : recipes) {
    SCOPED_TRACE(name);
    compositions.emplace_back(shipped_plugins(), usable(recipe));
  }
  return compositions;
}

Problem in_half(const char* name) {
  Problem problem = preset(name);
  problem.types = Types::all(DType::kFloat16);
  return problem;
}

/// Without TMA, with it, and the newest; each variant alone is compiled for all. In the
/// encoder a pixel of one head is a part of a row, at ledger-48 it is the whole.
TEST(Recipes, CompileForEveryGenerationOfArchitectures) {
  const auto recipes = shipped_recipes();
  EXPECT_FALSE(recipes.empty());
  compile_all(recipes, {in_half("ledger-48")}, device_to_compile_for(80));
  compile_all(recipes, {in_half("ddetr-encoder")}, device_to_compile_for(90));
  compile_all(recipes, {in_half("ledger-48")}, device_to_compile_for(120));
}

}  // namespace
}  // namespace msda
