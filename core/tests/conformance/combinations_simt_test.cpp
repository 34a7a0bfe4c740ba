#include <gtest/gtest.h>

#include "conformance/simt_checks.hpp"

namespace msda {
namespace {

class CombinationsOnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(CombinationsOnSimt, AreRightAndNothingIsFound) {
  EXPECT_EQ(run(GetParam()), "") << GetParam().composition.describe();
}

std::string name_of_check(const ::testing::TestParamInfo<SimtCheck>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Parameters, CombinationsOnSimt, ::testing::ValuesIn(parameter_checks()),
                         name_of_check);
INSTANTIATE_TEST_SUITE_P(VastImages, CombinationsOnSimt, ::testing::ValuesIn(image_checks()),
                         name_of_check);
INSTANTIATE_TEST_SUITE_P(Covering, CombinationsOnSimt, ::testing::ValuesIn(covering_checks()),
                         name_of_check);
INSTANTIATE_TEST_SUITE_P(Random, CombinationsOnSimt, ::testing::ValuesIn(combination_checks()),
                         name_of_check);

}  // namespace
}  // namespace msda
