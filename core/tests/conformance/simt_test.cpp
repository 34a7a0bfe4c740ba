// Every shipped optimization on the device simt: without a GPU, and with the checks that a GPU does
// not make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/conformance.hpp"
#include "conformance/simt_checks.hpp"

namespace msda {
namespace {

class OnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(OnSimt, IsRightAndNothingIsFound) {
  EXPECT_EQ(run(GetParam()), "") << GetParam().composition.describe();
}

std::string name_of_check(const ::testing::TestParamInfo<SimtCheck>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Alone, OnSimt, ::testing::ValuesIn(alone_checks()), name_of_check);
INSTANTIATE_TEST_SUITE_P(Tiles, OnSimt, ::testing::ValuesIn(tile_checks()), name_of_check);
INSTANTIATE_TEST_SUITE_P(Sides, OnSimt, ::testing::ValuesIn(side_checks()), name_of_check);
INSTANTIATE_TEST_SUITE_P(Heads, OnSimt, ::testing::ValuesIn(head_group_checks()), name_of_check);
INSTANTIATE_TEST_SUITE_P(Launches, OnSimt, ::testing::ValuesIn(launch_checks()), name_of_check);
INSTANTIATE_TEST_SUITE_P(Offsets, OnSimt, ::testing::ValuesIn(offset_checks()), name_of_check);

TEST(TexelsOnSimt, MoreThanATextureHasAreRefused) {
  EXPECT_THAT(
      run({"offsets", "", shipped_composition("texture-fetch"), "simt", nullptr, {}}),
      ::testing::HasSubstr("texels of 2 bytes, and a linear texture has 134217728 at most"));
}

}  // namespace
}  // namespace msda
