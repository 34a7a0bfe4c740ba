// The recipes that ship compile for every architecture of interest, on a machine without a GPU.
#include <gtest/gtest.h>

#include "conformance/combinations.hpp"
#include "input/input.hpp"
#include "runner/experiment.hpp"

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

TEST(Recipes, CompileForEveryArchitecture) {
  Problem ledger = preset("ledger-48");
  ledger.types = Types::all(DType::kFloat16);
  const auto recipes = shipped_recipes();
  EXPECT_FALSE(recipes.empty());
  for (const DeviceInfo& device : devices_to_compile_for()) compile_all(recipes, {ledger}, device);
}

}  // namespace
}  // namespace msda
