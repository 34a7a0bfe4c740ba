#include <gtest/gtest.h>

#include "conformance/simt_checks.hpp"

namespace msda {
namespace {

class CombinationsOnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(CombinationsOnSimt, AreRightAndNothingIsFound) {
  EXPECT_EQ(run(GetParam()), "") << GetParam().composition.describe();
}

INSTANTIATE_TEST_SUITE_P(Random, CombinationsOnSimt, ::testing::ValuesIn(combination_checks()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(VastImages, CombinationsOnSimt, ::testing::ValuesIn(image_checks()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace msda
