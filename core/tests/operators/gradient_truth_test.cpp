// How far the gradients of a point move with each of their ingredients, by hand.
#include <gtest/gtest.h>

#include "gradients.hpp"
#include "reference/on_axis.hpp"

namespace msda {
namespace {

double square(double x) { return x * x; }

constexpr double kWeight = 2;
constexpr double kGradient = -0.5;

/// The truths of grad_value, grad_sampling_locations and grad_attention_weights with a point at a
/// pixel of 2 by 4.
std::vector<Truth> truths_at(double x, double y,
                             const std::vector<float>& pixels = {1, -3, 2, 5, 4, 0.5F, -6, -8}) {
  const OneGradient one{.level = {2, 4},
                        .pixels = pixels,
                        .x = static_cast<float>((x + 0.5) / 4),
                        .y = static_cast<float>((y + 0.5) / 2),
                        .weight = static_cast<float>(kWeight),
                        .gradient = static_cast<float>(kGradient)};
  const Input input = one.input();
  return backward::make_truths(input, backward::compute_reference(input));
}

RowSensitivity of_location(double x, double y) { return truths_at(x, y)[1].rows.at(0); }
RowSensitivity of_weight(double x, double y) { return truths_at(x, y)[2].rows.at(0); }

TEST(GradientTruth, OfAWeightItIsTheSlopesOfTheDots) {
  const RowSensitivity row = of_weight(0.25, 0.5);
  const double across = kGradient * (0.5 * (-3 - 1) + 0.5 * (0.5 - 4));
  const double down = kGradient * (0.75 * (4 - 1) + 0.25 * (0.5 + 3));
  const double squared = square(kGradient);
  // Of a corner both its share and its value err.
  EXPECT_DOUBLE_EQ(row.terms, 2 * squared * (square(0.375) * 17 + square(0.125) * 9.25));
  EXPECT_DOUBLE_EQ(row.values, squared * 26.25);
  EXPECT_DOUBLE_EQ(row.ranges, 2 * squared * 64 * (square(0.375) + square(0.125)));
  EXPECT_DOUBLE_EQ(row.scale, 2 * (square(0.375) + square(0.125)) / 4);
  EXPECT_DOUBLE_EQ(row.fractions, square(across) + square(down));
  EXPECT_DOUBLE_EQ(row.coordinates, square(across * 0.5) + square(down));
  EXPECT_DOUBLE_EQ(row.normalized, square(across * 2) + square(down));
}

TEST(GradientTruth, OfALocationItIsTheTwistOfTheDotsByTheOtherCoordinate) {
  const RowSensitivity row = of_location(0.25, 0.5);
  const double twist = kGradient * (1 + 3 - 4 + 0.5);
  const double of_x = kWeight * 4;
  const double of_y = kWeight * 2;
  EXPECT_DOUBLE_EQ(row.fractions, square(twist) * (square(of_x) + square(of_y)) / 2);
  EXPECT_DOUBLE_EQ(row.coordinates, square(twist) * (square(of_x) + square(of_y * 0.5)) / 2);
  EXPECT_DOUBLE_EQ(row.normalized, square(twist) * (square(of_x) + square(of_y * 2)) / 2);
}

TEST(GradientTruth, BesideAPixelTheSteeperOfTheCellsCounts) {
  const double near = kNearPixel / 2;
  const auto squared = [](double number) { return square(kGradient * number); };
  const double left = squared(0.5 * (-3 - 1) + 0.5 * (0.5 - 4));
  const auto down = [&](double at) { return squared((1 - at) * (0.5 + 3) + at * (-6 - 2)); };
  EXPECT_NEAR(of_weight(1 + near, 0.5).fractions, left + down(near), 1e-12);
  const double below = squared(0.5 * (0 - 0.5) + 0.5 * (0 + 6));
  const double across = squared(near * (2 + 3) + (1 - near) * (-6 - 0.5));
  EXPECT_NEAR(of_weight(1.5, 1 - near).fractions, across + below, 1e-12);
}

TEST(GradientTruth, BesideAPixelOnBothAxesItIsOneOfFourCells) {
  const double at[] = {3 - kNearPixel / 2, 1 - kNearPixel / 2};
  const Truth truth = truths_at(at[0], at[1], {0, 0, -6, -8, 0, 0, -6, -8})[1];
  const double outermost = square(kGradient * -8);  // of pixel -8 and three that are none
  EXPECT_DOUBLE_EQ(truth.rows.at(0).fractions,
                   outermost * (square(kWeight * 4) + square(kWeight * 2)) / 2);
}

TEST(GradientTruth, AKnotIsOfThePointsThatCountAlongTheOtherAxis) {
  EXPECT_EQ(truths_at(1, 0.5)[1].knots.size(), 1U);
  EXPECT_EQ(truths_at(1, -1 - kNearPixel / 2)[1].knots.size(), 0U);
  EXPECT_EQ(truths_at(1 + kNearPixel / 2, 0.5)[1].knots.size(), 0U);
}

}  // namespace
}  // namespace msda
