// How far a row of `forward` moves with each of its ingredients, by hand.
#include <gtest/gtest.h>

#include "operators/forward/forward.hpp"
#include "reference/on_axis.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

struct Point {
  double x;  ///< in pixels
  double y;
  float weight;
};

constexpr Level kLevel{2, 4};
const std::vector<float> kPixels = {1, -3, 2, 5, 4, 0.5F, -6, -7};
constexpr double kLargest = 49;  ///< of their squares

double square(double x) { return x * x; }

/// Of one row of one channel. `largest` are the numbers that coordinates were made of.
Truth truth_of(const std::vector<Point>& points, const std::vector<float>& largest = {}) {
  const auto count = static_cast<std::int64_t>(points.size());
  Input input(make_problem({.channels = 1, .points = count, .levels = {kLevel}}),
              forward::kTensors);
  std::vector<float> locations;
  std::vector<float> weights;
  for (const Point& point : points) {
    locations.push_back(static_cast<float>((point.x + 0.5) / kLevel.width));
    locations.push_back(static_cast<float>((point.y + 0.5) / kLevel.height));
    weights.push_back(point.weight);
  }
  input.at("value") = make_tensor(DType::kFloat32, kPixels);
  input.at("locations") = make_tensor(DType::kFloat32, locations);
  input.at("weights") = make_tensor(DType::kFloat32, weights);
  const forward::MadeOf made_of{
      make_tensor(DType::kFloat32, largest),
      make_tensor(DType::kFloat32, std::vector<float>(points.size(), 1.0F))};
  return forward::make_truth(input, forward::compute_reference(input), 0,
                             largest.empty() ? nullptr : &made_of);
}

RowSensitivity row_of(const std::vector<Point>& points, const std::vector<float>& largest = {}) {
  return truth_of(points, largest).rows.at(0);
}

TEST(ForwardTruth, OfAPointItIsTheSlopesAndTermsOfItsCell) {
  // A quarter right of 1 and 4, half way down to 4 and 0.5.
  const RowSensitivity row = row_of({{0.25, 0.5, -2}});
  const double across = 0.5 * (-3 - 1) + 0.5 * (0.5 - 4);
  const double down = 0.75 * (4 - 1) + 0.25 * (0.5 + 3);
  const double shares = 2 * square(0.375) + 2 * square(0.125);
  EXPECT_DOUBLE_EQ(row.terms, 4 * (square(0.375) * (1 + 16) + square(0.125) * (9 + 0.25)));
  EXPECT_DOUBLE_EQ(row.values, 1 + 9 + 16 + 0.25);
  EXPECT_DOUBLE_EQ(row.ranges, 4 * shares * kLargest);
  EXPECT_DOUBLE_EQ(row.fractions, 4 * (square(across) + square(down)));
  // 0.75 and 1 pixels from the edges are the largest numbers on the way.
  EXPECT_DOUBLE_EQ(row.coordinates, 4 * (square(across * 0.5) + square(down)));
  EXPECT_DOUBLE_EQ(row.normalized, 4 * (square(across * 2) + square(down)));
}

TEST(ForwardTruth, OfAPixelWithoutAShareNothingIsRead) {
  EXPECT_DOUBLE_EQ(row_of({{1, 0, 1}}).values, square(-3));
}

TEST(ForwardTruth, BesideAPixelTheSteeperOfTwoCellsCounts) {
  const double near = kNearPixel / 2;
  const double left = square(0.5 * (-3 - 1) + 0.5 * (0.5 - 4));
  const double right = square(0.5 * (2 + 3) + 0.5 * (-6 - 0.5));
  ASSERT_GT(left, right);
  const auto down = [](double at) { return square((1 - at) * (0.5 + 3) + at * (-6 - 2)); };
  EXPECT_NEAR(row_of({{1 + near, 0.5, 1}}).fractions, left + down(near), 1e-12);
  EXPECT_NEAR(row_of({{1 + 0.25, 0.5, 1}}).fractions, right + down(0.25), 1e-12);
  // And so does the cell below: its lower pixels are none.
  const double below = square(0.5 * (0 - 0.5) + 0.5 * (0 + 6));
  const double above = square(0.5 * (0.5 + 3) + 0.5 * (-6 - 2));
  ASSERT_GT(below, above);
  const double across = square(near * (2 + 3) + (1 - near) * (-6 - 0.5));
  EXPECT_NEAR(row_of({{1.5, 1 - near, 1}}).fractions, across + below, 1e-12);
}

TEST(ForwardTruth, APointThatRoundingMayBringInHasSlopesAlone) {
  const RowSensitivity row = row_of({{-1 - kNearPixel / 2, 0.5, 1}});
  EXPECT_EQ(row.terms, 0);
  EXPECT_EQ(row.values, 0);
  EXPECT_DOUBLE_EQ(row.fractions, square(0.5 * 1 + 0.5 * 4));
}

TEST(ForwardTruth, PointsAtOnePlaceAreOneWithTheSumOfTheirMagnitudes) {
  const RowSensitivity one = row_of({{0.25, 0.5, 5}});
  const RowSensitivity two = row_of({{0.25, 0.5, 3}, {0.25, 0.5, -2}});
  EXPECT_DOUBLE_EQ(two.fractions, one.fractions);
  EXPECT_DOUBLE_EQ(two.terms, one.terms);
  EXPECT_NEAR(row_of({{0.25, 0.5, 3}, {0.25, 0.75, -2}}).ranges,
              row_of({{0.25, 0.5, 3}}).ranges + row_of({{0.25, 0.75, -2}}).ranges, 1e-12);
}

TEST(ForwardTruth, CoordinatesRoundAsTheLargestNumberTheyWereMadeOf) {
  const RowSensitivity at = row_of({{0.25, 0.5, 1}});
  const double down = square(0.75 * (4 - 1) + 0.25 * (0.5 + 3));
  const double across = at.fractions - down;
  EXPECT_DOUBLE_EQ(row_of({{0.25, 0.5, 1}}, {9, 0}).coordinates, across * 64 + down);
  EXPECT_DOUBLE_EQ(row_of({{0.25, 0.5, 1}, {0.25, 0.5, 1}}, {0, 3, 9, 0}).coordinates,
                   4 * (across * 64 + down * 4));
}

TEST(ForwardTruth, FourCornersOfEachPointAddUp) {
  EXPECT_EQ(truth_of({{0.25, 0.5, 1}}).additions, 4);
  EXPECT_EQ(truth_of({{0.25, 0.5, 1}, {1.5, 0.5, 1}, {9, 9, 1}}).additions, 12);
}

/// A derivative that jumps where rounding may carry the point says nothing of a shift.
TEST(ForwardTruth, APointBesideAPixelTellsNoShiftAlongThatAxis) {
  const Truth truth = truth_of({{1 + 1.0 / 32, 0.5, 1}});
  ASSERT_EQ(truth.shifts.size(), 2U);
  EXPECT_EQ(truth.shifts[0].derivative.front(), 0);
  EXPECT_NE(truth.shifts[1].derivative.front(), 0);
}

}  // namespace
}  // namespace msda
