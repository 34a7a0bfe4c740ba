// The recipes that ship compile for the architectures of interest, on a machine without a GPU.
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

/// Without the copy engine, with it, and the newest; each variant alone is compiled for all.
bool stands_for_others(const DeviceInfo& device) {
  return device.compute_capability == 80 || device.compute_capability == 90 ||
         device.compute_capability == 120;
}

TEST(Recipes, CompileForEveryGenerationOfArchitectures) {
  Problem ledger = preset("ledger-48");
  ledger.types = Types::all(DType::kFloat16);
  const auto recipes = shipped_recipes();
  EXPECT_FALSE(recipes.empty());
  for (const DeviceInfo& device : devices_to_compile_for()) {
    if (stands_for_others(device)) compile_all(recipes, {ledger}, device);
  }
}

}  // namespace
}  // namespace msda
