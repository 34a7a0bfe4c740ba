// The operator `fused-backward` on the skeleton of `backward`, on the device simt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/conformance.hpp"
#include "conformance/simt_checks.hpp"
#include "measure/verify.hpp"

namespace msda {
namespace {

using ::testing::HasSubstr;

class FusedBackwardOnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(FusedBackwardOnSimt, IsRightInAnyOrder) {
  EXPECT_EQ(run(GetParam()), "") << GetParam().composition.describe();
}

INSTANTIATE_TEST_SUITE_P(Compositions, FusedBackwardOnSimt,
                         ::testing::ValuesIn(fused_backward_checks()),
                         [](const auto& info) { return info.param.name; });

const Operator& fused_backward() { return find_operator("fused-backward"); }

TEST(FusedBackwardCompositions, AreThoseOfTheSkeletonBackward) {
  EXPECT_EQ(shipped_composition("native-sums").refuses(fused_backward()), "");
  EXPECT_THAT(shipped_composition("vector-loads").refuses(fused_backward()),
              HasSubstr("computes the operator 'forward'"));
  EXPECT_THAT(shipped_composition("cpu-backward-scalar").refuses(fused_backward()),
              HasSubstr("is a kernel of its own"));
}

/// Gradients of references are sums over heads in one order, those of logits over a row.
TEST(FusedBackwardCompositions, RepeatWhatTheAccumulatorRepeats) {
  const auto repeats = [](const char* name, const char* output) {
    return shipped_composition(name).computing(fused_backward()).deterministic(output);
  };
  EXPECT_FALSE(repeats("l2-red", "grad_value"));
  EXPECT_TRUE(repeats("fixed-sums", "grad_value"));
  EXPECT_TRUE(repeats("l2-red", "grad_reference_points"));
  EXPECT_TRUE(repeats("l2-red", "grad_logits"));
}

}  // namespace
}  // namespace msda
