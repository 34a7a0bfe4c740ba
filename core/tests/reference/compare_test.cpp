#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <msda/operators/forward.hpp>
#include "reference/bounds.hpp"
#include "reference/compare.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

/// Rows of one element.
RowShape rows_of_one(DType type = DType::kFloat32) { return {type, 1, 1}; }

Comparison compare_floats(const std::vector<float>& output, const std::vector<double>& reference) {
  return compare(rows_of_one(), make_tensor(DType::kFloat32, output), reference);
}

TEST(Compare, EqualIsZero) {
  const Comparison comparison = compare_floats({1, -2, 3}, {1, -2, 3});
  EXPECT_EQ(comparison.relative_l2, 0.0);
  EXPECT_EQ(comparison.maximum_absolute, 0.0);
  EXPECT_EQ(comparison.not_written, 0);
}

TEST(Compare, GivesRelativeAndMaximumError) {
  const Comparison comparison = compare_floats({3, 4.5F, 0.25F}, {3, 4, 0});
  EXPECT_DOUBLE_EQ(comparison.relative_l2, std::sqrt(0.25 + 0.0625) / 5);
  EXPECT_EQ(comparison.maximum_absolute, 0.5);
  EXPECT_EQ(comparison.worst_index, 1);
}

TEST(Compare, TheFirstOfEqualDifferencesIsTheWorst) {
  EXPECT_EQ(compare_floats({0, 1, 1}, {0, 0, 0.0}).worst_index, 1);
}

TEST(Compare, PoisonIsNotWritten) {
  for (const DType type : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const Bytes poison(4 * size_of(type), std::byte{0xFF});
    const Comparison comparison =
        compare(rows_of_one(type), poison, std::vector<double>{1, 2, 3, 4});
    EXPECT_EQ(comparison.not_written, 4);
    EXPECT_TRUE(std::isnan(comparison.relative_l2));
  }
}

TEST(Compare, OneElementThatIsNotFiniteSpoilsTheErrorAndIsPointedAt) {
  const Comparison comparison =
      compare_floats({1, 9, std::numeric_limits<float>::infinity()}, {1, 2, 3});
  EXPECT_TRUE(std::isnan(comparison.relative_l2));
  EXPECT_EQ(comparison.not_written, 0);
  EXPECT_EQ(comparison.infinite, 1);
  EXPECT_EQ(comparison.maximum_absolute, 7.0);
  EXPECT_EQ(comparison.worst_index, 2);
}

TEST(Compare, AZeroReferenceAllowsOnlyZero) {
  EXPECT_EQ(compare_floats({0, 0}, {0, 0}).relative_l2, 0.0);
  EXPECT_TRUE(std::isinf(compare_floats({0, 1e-30F}, {0, 0}).relative_l2));
}

TEST(Compare, SameBitsForAnyNumberOfThreads) {
  constexpr std::int64_t kCount = 200001;
  std::vector<float> output(kCount);
  std::vector<double> reference(kCount);
  for (std::size_t i = 0; i < output.size(); ++i) {
    reference[i] = std::sin(static_cast<double>(i));
    output[i] = static_cast<float>(reference[i]);
  }
  const Bytes bytes = make_tensor(DType::kFloat32, output);
  const Comparison one = compare(rows_of_one(), bytes, reference, nullptr, 1);
  const Comparison many = compare(rows_of_one(), bytes, reference, nullptr, 7);
  EXPECT_EQ(one.relative_l2, many.relative_l2);
  EXPECT_EQ(one.maximum_absolute, many.maximum_absolute);
  EXPECT_EQ(one.worst_index, many.worst_index);
  EXPECT_GT(one.relative_l2, 0.0);
  EXPECT_LT(one.relative_l2, 1e-7);
}

/// Gradients have two right results where a point lies on a pixel's centre.
TEST(Compare, KnotsAreThoseOfTheirElementsInEveryPartAndRange) {
  constexpr std::int64_t kRows = 70001;
  Truth truth({DType::kFloat32, 2, 1}, std::vector<double>(2 * kRows, 1));
  const std::int64_t rows[] = {0, 1, 2, 16383, 16384, 32768, kRows - 1};
  std::vector<float> output(truth.output.begin(), truth.output.end());
  for (const std::int64_t row : rows) {
    const std::int64_t element = 2 * row + row % 2;
    truth.knots.push_back({.element = element, .other = 5, .reach = 0});
    output[static_cast<std::size_t>(element)] = 5;
  }
  const Bounds bounds({}, truth);
  for (const std::int64_t first_row : {0, 1, 16384, 16385}) {
    const auto first = static_cast<std::ptrdiff_t>(2 * first_row);
    const Bytes part =
        make_tensor(DType::kFloat32, std::vector<float>(output.begin() + first, output.end()));
    const Comparison comparison =
        compare(truth.shape, part, std::span(truth.output).subspan(static_cast<std::size_t>(first)),
                &bounds, 1, first_row);
    EXPECT_EQ(comparison.on_knots,
              std::ranges::count_if(rows, [&](auto row) { return row >= first_row; }))
        << first_row;
    EXPECT_EQ(comparison.relative_l2, 0) << first_row;
    EXPECT_EQ(comparison.element_excess, 0) << first_row;
  }
}

TEST(Compare, RefusesAnOutputOfAnotherSize) {
  const std::vector<double> two = {1, 2};
  EXPECT_THROW(compare(rows_of_one(), Bytes(4), two), Error);
  EXPECT_THROW(compare({DType::kFloat32, 3, 1}, Bytes(8), two), Error);
}

TEST(Compare, AKnotIsCrossedByAsManyRoundingsAsACoordinateHas) {
  const Truth truth({DType::kFloat32, 1, 1}, {1.0});
  const Arithmetic arithmetic{.coordinates = {kFp32, 8}, .normalized = {kFp32, 3}};
  const Bounds bounds(arithmetic, truth);
  const double unit = kFp32.unit;
  EXPECT_TRUE(bounds.crosses({.reach = 8 * unit, .normalized_reach = 1}));
  EXPECT_FALSE(bounds.crosses({.reach = 8.1 * unit, .normalized_reach = 1}));
  EXPECT_TRUE(bounds.crosses({.reach = 1, .normalized_reach = 2.9 * unit}));
  EXPECT_FALSE(bounds.crosses({.reach = 1, .normalized_reach = 3.1 * unit}));
}

}  // namespace
}  // namespace msda
