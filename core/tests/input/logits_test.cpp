#include <cmath>

#include <gtest/gtest.h>

#include <msda/error.hpp>

#include <msda/operators/forward.hpp>
#include "input/elements.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

double element(const Problem& problem, const Bytes& tensor, std::int64_t i) {
  return load_element(problem.types.weight, tensor.data(), i);
}

class LogitsTest : public testing::TestWithParam<DType> {};

TEST_P(LogitsTest, TheirSoftmaxIsTheWeights) {
  const Problem problem = in_type(GetParam(), tiny_problem());
  const Input input = generate(problem, {});
  const Bytes logits = logits_of(input);
  ASSERT_EQ(logits.size(), input.at("weights").size());
  const std::int64_t per_row = problem.level_count() * problem.points;
  const double rounding = GetParam() == DType::kFloat32   ? 1e-6
                          : GetParam() == DType::kFloat16 ? 3e-3
                                                          : 2e-2;
  for (std::int64_t row = 0; row < elements(problem, forward::kWeights) / per_row; ++row) {
    double sum = 0;
    for (std::int64_t k = 0; k < per_row; ++k) {
      sum += std::exp(element(problem, logits, row * per_row + k));
    }
    for (std::int64_t k = 0; k < per_row; ++k) {
      const double weight = element(problem, input.at("weights"), row * per_row + k);
      const double back = std::exp(element(problem, logits, row * per_row + k)) / sum;
      EXPECT_NEAR(back, weight, rounding * weight) << row << " " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryType, LogitsTest,
                         testing::Values(DType::kFloat32, DType::kFloat16, DType::kBFloat16));

TEST(Logits, AWeightOfZeroCountsForNothing) {
  Input input = generate(tiny_problem(), {});
  const double other = element(input.problem, input.at("weights"), 1);
  const double moved = element(input.problem, input.at("weights"), 0);
  store_element(DType::kFloat32, input.at("weights").data(), 0, 0);
  store_element(DType::kFloat32, input.at("weights").data(), 1, static_cast<float>(other + moved));
  EXPECT_EQ(element(input.problem, logits_of(input), 0), -INFINITY);
}

TEST(Logits, RefusesWeightsThatAreNoSoftmax) {
  Input input = generate(tiny_problem(), {});
  Input doubled = input;
  store_element(DType::kFloat32, doubled.at("weights").data(), 0, 2);
  EXPECT_THROW(logits_of(doubled), Unsupported);
  Input negative = input;
  const double other = element(input.problem, input.at("weights"), 1);
  const double moved = element(input.problem, input.at("weights"), 0);
  store_element(DType::kFloat32, negative.at("weights").data(), 0, -0.25F);
  store_element(DType::kFloat32, negative.at("weights").data(), 1,
                static_cast<float>(other + moved) + 0.25F);
  EXPECT_THROW(logits_of(negative), Unsupported);
}

TEST(Logits, TheLargestOfARowIsZeroWhereNarrowTypesAreFinest) {
  const Problem problem = tiny_problem();
  const Bytes logits = logits_of(generate(problem, {}));
  const std::int64_t per_row = problem.level_count() * problem.points;
  for (std::int64_t row = 0; row < elements(problem, forward::kWeights) / per_row; ++row) {
    double largest = -INFINITY;
    for (std::int64_t k = 0; k < per_row; ++k) {
      largest = std::max(largest, element(problem, logits, row * per_row + k));
    }
    EXPECT_EQ(largest, 0) << row;
  }
}

}  // namespace
}  // namespace msda
