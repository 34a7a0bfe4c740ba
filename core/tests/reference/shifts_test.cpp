// What the errors of all rows together tell, and over how many points they average out.
#include "reference/shifts.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/tensors.hpp"

namespace msda {
namespace {

constexpr std::int64_t kRows = 400;

/// Rows of one element, all of which grow by 1 for each pixel to the right.
Truth truth_of(double independent_points) {
  Truth truth({DType::kFloat32, 1, 1}, std::vector<double>(kRows, 0.0));
  truth.independent_points = independent_points;
  ShiftDirection direction;
  direction.derivative.assign(kRows, 1.0F);
  truth.shifts.push_back(direction);
  for (std::int64_t row = 0; row < kRows; ++row) truth.sampled_rows.push_back(row);
  return truth;
}

/// What is found in outputs of 0.9 and 1.1 in turns.
Shift shift_with(double independent_points) {
  const Truth truth = truth_of(independent_points);
  std::vector<float> output;
  for (int row = 0; row < kRows; ++row) output.push_back(row % 2 == 0 ? 0.9F : 1.1F);
  return find_shift(make_tensor(DType::kFloat32, output), truth, Bounds({}, truth)).value();
}

TEST(Shifts, RowsOfTheSamePlacesAreAsOne) {
  const double standard_error = 0.1 / std::sqrt(kRows);
  EXPECT_NEAR(shift_with(kRows).pixels, 1, 1e-6);
  EXPECT_NEAR(shift_with(kRows).limit, 1.0 / 200 + 6 * standard_error, 1e-6);
  EXPECT_NEAR(shift_with(kRows / 4.0).limit, 1.0 / 200 + 6 * 2 * standard_error, 1e-6);
}

TEST(CountPlaces, LooksAtPointsOfTheWholeTensor) {
  constexpr std::size_t kPoints = 8192;  // twice as many as are looked at
  std::vector<float> locations(2 * kPoints, 0.5F);
  for (std::size_t point = kPoints / 2; point < kPoints; ++point) {
    locations[2 * point] = static_cast<float>(point) / kPoints;
  }
  const double places = count_places(DType::kFloat32, make_tensor(DType::kFloat32, locations));
  EXPECT_NEAR(places, kPoints / 4.0, 1);
}

}  // namespace
}  // namespace msda
