// The recipes that ship are right on the device simt.
#include <gtest/gtest.h>

#include "support/recipe_checks.hpp"

namespace msda {
namespace {

class RecipesOnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(RecipesOnSimt, AreRightAndNothingIsFound) {
  EXPECT_EQ(run(GetParam()), "") << GetParam().composition.describe();
}

INSTANTIATE_TEST_SUITE_P(Shipped, RecipesOnSimt, ::testing::ValuesIn(recipe_checks()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace msda
