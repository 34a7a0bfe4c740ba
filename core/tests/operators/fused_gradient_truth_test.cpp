// How far the outputs of `fused-backward` move with each of their ingredients, and what they cost,
// by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fused_gradients.hpp"
#include "operators/linear.hpp"
#include "operators/operator.hpp"

namespace msda {
namespace {

using testing::Each;
using testing::ElementsAre;

double square(double x) { return x * x; }

constexpr double kGradient = -0.5;
/// Of the cell of points at pixel (0.25, 0.5).
constexpr double kTwist = kGradient * (1 + 3 - 4 + 0.5);

/// One row over 2 by 4 pixels.
Input input_of(const std::vector<float>& references, const std::vector<float>& offsets,
               const std::vector<float>& logits, const References& kind = {}) {
  Problem problem = make_problem(
      {.channels = 1, .points = static_cast<std::int64_t>(logits.size()), .levels = {{2, 4}}});
  problem.references = kind;
  Input input(problem, fused_backward::kTensors);
  input.at("value") = make_tensor(DType::kFloat32, {1, -3, 2, 5, 4, 0.5F, -6, -8});
  input.at("reference_points") = make_tensor(DType::kFloat32, references);
  input.at("offsets") = make_tensor(DType::kFloat32, offsets);
  input.at("logits") = make_tensor(DType::kFloat32, logits);
  input.at("grad_output") = make_tensor(DType::kFloat32, {kGradient});
  return input;
}

/// A point at pixel (0.25, 0.5), an offset of half a box and of a whole one away from its centre.
Input input_of_box() {
  return input_of({0.125, 0.375, 0.25, 0.25}, {0.5, 1}, {7}, {.coordinates = 4, .anchors = 0});
}

std::vector<Truth> truths_of(const Input& input) {
  return fused_backward::make_truths(input, fused_backward::compute_reference(input));
}

TEST(FusedGradientTruth, OfOffsetsFromABoxTheTwistCountsInPartsOfTheBox) {
  const RowSensitivity row = truths_of(input_of_box())[1].rows.at(0);
  const double of_x = 4 * 0.5 * 0.25;
  const double of_y = 2 * 0.5 * 0.25;
  EXPECT_DOUBLE_EQ(row.fractions, square(kTwist) * (square(of_x) + square(of_y)) / 2);
  EXPECT_DOUBLE_EQ(row.coordinates, square(kTwist) * (square(of_x) + square(of_y * 0.5)) / 2);
}

TEST(FusedGradientTruth, OfReferencesPlacesAndBoxesCountByTheirElements) {
  const Input without_box = input_of({0.1875, 0.5}, {0, 0}, {7});
  const double of_place = square(kTwist) * (square(4) + square(2)) / 2;
  EXPECT_DOUBLE_EQ(truths_of(without_box)[3].rows.at(0).fractions, of_place);
  const double of_box = square(kTwist) * (square(4 * 0.5 * 0.5) + square(2 * 0.5 * 1)) / 2;
  EXPECT_DOUBLE_EQ(truths_of(input_of_box())[3].rows.at(0).fractions, (of_place + of_box) / 2);
}

TEST(FusedGradientTruth, OfLogitsItIsWhatTheSoftmaxMakesOfErrors) {
  // Two points at one place with weights of a quarter and of three.
  const Input input = input_of({0.1875, 0.5}, {0, 0, 0, 0}, {0, std::log(3.0F)});
  const Truth truth = truths_of(input)[2];
  EXPECT_THAT(truth.unevenness, Each(2));
  EXPECT_EQ(truth.additions, 4 + 2);
  const double dot = kGradient * (0.375 * (1 + 4) + 0.125 * (-3 + 0.5));
  const double terms = 2 * square(kGradient) * (square(0.375) * 17 + square(0.125) * 9.25);
  const double weights[] = {0.25, 0.75};
  const double all = square(0.25) + square(0.75);
  double expected = truth.rows[0].output;
  for (const double w : weights) {
    const double moved = square(w) * (square(1 - w) + all - square(w));
    expected += (moved * (terms + square(dot)) + square(w * dot) * (1 + all)) / 2;
  }
  expected += all * square(dot) / 2;
  EXPECT_NEAR(truth.rows[0].terms, expected, 1e-6 * expected);
}

TEST(FusedGradientTruth, AWeightErrsAsItsLogitLiesBelowTheLargest) {
  const Input input = input_of({0.1875, 0.5}, {0, 0, 0, 0}, {0, -8});
  const double more = 64 / fused_backward::kArithmetic.weights.times;
  backward::PointList list(2);
  fused_backward::operands_of(input).read(0, 0, list);
  EXPECT_DOUBLE_EQ(list.weight_errors[0], 1);
  EXPECT_NEAR(list.weight_errors[1], 1 + more, 1e-9);
  // So does what it adds to the value's gradient.
  const double first = square(0.375 * kGradient / (1 + std::exp(-8)));
  const double rest = square(0.375 * kGradient * std::exp(-8) / (1 + std::exp(-8)));
  const double both = square(0.375 * kGradient);
  EXPECT_NEAR(truths_of(input)[0].rows.at(0).terms, first + rest * (1 + more) + both, 1e-12);
}

TEST(FusedGradientTruth, OfTheValueSlopesAreThoseOfTheCornersShares) {
  const RowSensitivity row = truths_of(input_of({0.1875, 0.5}, {0, 0}, {7}))[0].rows.at(0);
  const double across = square(kGradient * 0.5);
  const double down = square(kGradient * 0.75);
  EXPECT_DOUBLE_EQ(row.fractions, across + down);
  EXPECT_DOUBLE_EQ(row.coordinates, across * square(0.5) + down);
  EXPECT_DOUBLE_EQ(row.normalized, across * square(2) + down);
}

TEST(FusedGradientTraffic, IsOfWhatIsAskedFor) {
  const Operator& op = find_operator("fused-backward");
  Problem problem = input_of({0.1875, 0.5}, {0, 0}, {7}).problem;
  const Traffic all = op.traffic(problem);
  const std::int64_t points = (2 + 2 + 1 + 1) * 4;
  EXPECT_EQ(all.least_read, points);
  EXPECT_EQ(all.read, points + 8 * 4);
  problem.unasked = 1U << fused_backward::kGradOffsets | 1U << fused_backward::kGradLogits |
                    1U << fused_backward::kGradReferences;
  const Traffic of_value = op.traffic(problem);
  EXPECT_EQ(of_value.read, points);
  EXPECT_EQ(of_value.flops, 8);
  problem.unasked = 1U << fused_backward::kGradValue;
  EXPECT_EQ(op.traffic(problem).flops, 8);
  EXPECT_EQ(all.flops, 16);
}

TEST(FusedGradientTraffic, OfPaddingThereIsNoneAndNoQueryHasAShareInIt) {
  const Operator& op = find_operator("fused-backward");
  const auto& linear = dynamic_cast<const LinearOperator&>(op);
  Input input = input_of({0.1875, 0.5}, {0, 0}, {7});
  EXPECT_EQ(op.least_traffic(input).read, op.traffic(input.problem).least_read + 4 * 4);
  EXPECT_EQ(linear.shares_of(input)(0).size(), 4U);
  const std::int64_t open = op.traffic(input.problem).read;
  input.problem.padding = true;
  EXPECT_EQ(op.traffic(input.problem).read, open + 8);  // the mask
  input.at("padding_mask") = Bytes(8, std::byte{1});
  input.at("padding_mask")[1] = std::byte{0};
  EXPECT_EQ(op.least_traffic(input).read, op.traffic(input.problem).least_read + 4);
  ASSERT_EQ(linear.shares_of(input)(0).size(), 1U);
  EXPECT_EQ(linear.shares_of(input)(0).front().row, 1U);
}

}  // namespace
}  // namespace msda
