// The recipes that ship are right on the device simt, in fp16 and on the documents' kind of
// problem: one head, four levels, eight points.
#include <gtest/gtest.h>

#include "conformance/conformance.hpp"
#include "runner/spec/experiment.hpp"

namespace msda {
namespace {

Recipes shipped_recipes() {
  return load_recipes(MSDA_BINARY_DIR "/share/msda/experiments/recipes.yaml", shipped_plugins());
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& [name, recipe] : shipped_recipes()) found.push_back(name);
  return found;
}

class RecipesOnSimt : public ::testing::TestWithParam<std::string> {};

TEST_P(RecipesOnSimt, AreRightAndNothingIsFound) {
  constexpr std::size_t kPlain = 5;  // of the awkward problems
  constexpr std::size_t kBordered = 13;
  const Recipes recipes = shipped_recipes();
  const Composition composition(shipped_plugins(), usable(recipes.at(GetParam())));
  const auto device = open_device("simt:1");
  expect_conforming(*device, composition, {kPlain, kBordered});
}

INSTANTIATE_TEST_SUITE_P(Shipped, RecipesOnSimt, ::testing::ValuesIn(names()),
                         [](const auto& info) { return test_name(info.param); });

}  // namespace
}  // namespace msda
