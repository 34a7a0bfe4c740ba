// The recipes that ship compile for Hopper, on a machine without a GPU. In the encoder a pixel of
// one head is a part of a row, at ledger-48 it is the whole.
#include <gtest/gtest.h>

#include "conformance/combinations.hpp"
#include "recipe_checks.hpp"

namespace msda {
namespace {

TEST(Recipes, CompileForHopper) {
  const auto recipes = shipped_recipes();
  EXPECT_FALSE(recipes.empty());
  compile_all(recipes, {in_half("ddetr-encoder")}, device_to_compile_for(90));
}

}  // namespace
}  // namespace msda
