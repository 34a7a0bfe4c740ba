// Of the recipes that ship some compile for Hopper, on a machine without a GPU.
#include <gtest/gtest.h>

#include "conformance/combinations.hpp"
#include "support/recipe_checks.hpp"

namespace msda {
namespace {

/// One in five: their parts are compiled one by one, and all recipes by the slow tests.
TEST(Recipes, OneInFiveCompilesForHopper) {
  constexpr std::size_t kEach = 5;
  std::vector<Composition> recipes = shipped_recipes();
  std::vector<Composition> some;
  for (std::size_t i = 0; i < recipes.size(); i += kEach) some.push_back(std::move(recipes[i]));
  EXPECT_FALSE(some.empty());
  compile_all(some, {in_half("ddetr-encoder")}, device_to_compile_for(90));
}

}  // namespace
}  // namespace msda
