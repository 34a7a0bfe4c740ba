// The operator `fused` on the skeletons of `forward`, on the device simt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/conformance.hpp"
#include "conformance/simt_checks.hpp"

namespace msda {
namespace {

using ::testing::HasSubstr;

class FusedOnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(FusedOnSimt, IsRightAndNothingIsFound) {
  EXPECT_EQ(run(GetParam()), "") << GetParam().composition.describe();
}

INSTANTIATE_TEST_SUITE_P(Shipped, FusedOnSimt, ::testing::ValuesIn(fused_checks()),
                         [](const auto& info) { return info.param.name; });

class LevelPointsOnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(LevelPointsOnSimt, IsRightAndNothingIsFound) {
  EXPECT_EQ(run(GetParam()), "") << GetParam().composition.describe();
}

INSTANTIATE_TEST_SUITE_P(Shipped, LevelPointsOnSimt, ::testing::ValuesIn(level_points_checks()),
                         [](const auto& info) { return info.param.name; });

const Operator& fused_operator_of_tests() { return find_operator("fused"); }

Composition fused_composition(const std::vector<Use>& uses) {
  return Composition(shipped_plugins(), uses).computing(fused_operator_of_tests());
}

TEST(FusedCompositions, ThatReadLocationsThemselvesSaySo) {
  for (const std::string name : {"im2col", "flash-deform", "tensor-core-attempt"}) {
    EXPECT_THAT(shipped_composition(name).refuses(fused_operator_of_tests()),
                HasSubstr("has no slot 'points'"));
  }
  EXPECT_THAT(shipped_composition("cpu-scalar").refuses(fused_operator_of_tests()),
              HasSubstr("is a kernel of its own"));
}

TEST(FusedCompositions, RoundWhatTheirPartsAndTheirPointsRound) {
  const Composition plain(shipped_plugins(), {});
  const Problem problem = awkward_problems().front().problem;
  EXPECT_GT(fused_composition({}).arithmetic(problem).weights.times,
            plain.arithmetic(problem).weights.times);
}

}  // namespace
}  // namespace msda
