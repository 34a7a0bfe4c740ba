// The recipes that differ from one of recipes_simt_test in numbers alone are right on the device
// simt.
#include <gtest/gtest.h>

#include "support/recipe_checks.hpp"

namespace msda {
namespace {

class RecipesOfOtherNumbersOnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(RecipesOfOtherNumbersOnSimt, AreRightAndNothingIsFound) {
  EXPECT_EQ(run(GetParam()), "") << GetParam().composition.describe();
}

INSTANTIATE_TEST_SUITE_P(Shipped, RecipesOfOtherNumbersOnSimt,
                         ::testing::ValuesIn(recipe_number_checks()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace msda
