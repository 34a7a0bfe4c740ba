// What is said of outputs that are wrong.
#include "measure/verify.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/tensors.hpp"

namespace msda {
namespace {

using ::testing::HasSubstr;

/// Of an output whose first number is infinite, in half precision.
std::string reason_for(const std::vector<Use>& uses) {
  static const Registry kRegistry({MSDA_BINARY_DIR "/lib/msda/variants"});
  const Composition composition(kRegistry, uses);
  const Input input = generate(in_type(DType::kFloat16, tiny_problem()), {});
  const std::vector<Truth> truths = make_truths(composition.op(), input);
  std::vector<float> numbers(truths[0].output.begin(), truths[0].output.end());
  numbers[0] = std::numeric_limits<float>::infinity();
  const Verdict verdict =
      judge(composition, input.problem, truths, {make_tensor(DType::kFloat16, numbers)});
  EXPECT_FALSE(verdict.right);
  return verdict.reason;
}

TEST(Verify, SaysWhyAnOutputMayBeInfinite) {
  EXPECT_THAT(reason_for({{"mixed-precision", {{"sums", std::string("half")}}}}),
              HasSubstr("1 of 80 output elements are infinite: overflow of half sums; element "));
  EXPECT_THAT(reason_for({}),
              HasSubstr("1 of 80 output elements are infinite: beyond the range of fp16; "));
}

}  // namespace
}  // namespace msda
