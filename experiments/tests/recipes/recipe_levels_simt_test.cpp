// The recipes that ship are right on the device simt where level sizes are no constants.
#include <gtest/gtest.h>

#include "support/recipe_checks.hpp"

namespace msda {
namespace {

class RecipeLevelsOnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(RecipeLevelsOnSimt, AreRightOnEveryPyramid) {
  EXPECT_EQ(run(GetParam()), "") << GetParam().composition.describe();
}

INSTANTIATE_TEST_SUITE_P(Shipped, RecipeLevelsOnSimt, ::testing::ValuesIn(recipe_level_checks()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace msda
