#include "reference/corner_count.hpp"

#include <gtest/gtest.h>

#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

/// Queries of one point each, on a level of 4x4 pixels.
Problem points_on_a_level(std::int64_t queries) {
  return make_problem({.queries = queries, .channels = 8, .points = 1, .levels = {{4, 4}}});
}

CornerCount count(const std::vector<float>& places, const std::vector<float>& weights) {
  const Problem problem = points_on_a_level(static_cast<std::int64_t>(weights.size()));
  const Bytes stored = make_tensor(DType::kFloat32, weights);
  return count_corners(problem, make_tensor(DType::kFloat32, places), &stored);
}

// A location of 0.5 lies between the pixels 1 and 2, one of 0.375 on pixel 1.
TEST(CornerCount, APointBetweenPixelsReadsFourAndOneOnAPixelThat) {
  EXPECT_EQ(count({0.5F, 0.5F}, {1}).gathered, 4);
  EXPECT_EQ(count({0.375F, 0.5F}, {1}).gathered, 2);
  EXPECT_EQ(count({0.375F, 0.375F}, {1}).gathered, 1);
}

TEST(CornerCount, WhatLiesOutsideOrHasNoWeightIsNotRead) {
  EXPECT_EQ(count({2.0F, 0.5F}, {1}).touched, 0);
  EXPECT_EQ(count({0.0F, 0.5F}, {1}).touched, 2);  // one column of two
  EXPECT_EQ(count({0.5F, 0.5F}, {0}).touched, 0);
}

TEST(CornerCount, NeighboursShareWhatTheyReadAndOthersDoNot) {
  const CornerCount same = count({0.5F, 0.5F, 0.5F, 0.5F, 0.5F, 0.5F}, {1, 1, 1});
  EXPECT_EQ(same.gathered, 4);
  EXPECT_EQ(same.touched, 4);
  const CornerCount apart = count({0.5F, 0.5F, 2.0F, 2.0F, 0.5F, 0.5F}, {1, 1, 1});
  EXPECT_EQ(apart.gathered, 8);
  EXPECT_EQ(apart.touched, 4);
}

TEST(CornerCount, GradientsNeedThePixelsOfEveryPointInside) {
  const Problem problem = points_on_a_level(2);
  const Bytes places = make_tensor(DType::kFloat32, {0.375F, 0.375F, 2.0F, 0.5F});
  EXPECT_EQ(count_corners(problem, places, nullptr).gathered, 4);
}

TEST(CornerCount, IsOfElementsOfTheValues) {
  Traffic traffic;
  traffic.read = 100;
  take_corners({3, 5}, points_on_a_level(1), traffic);
  EXPECT_EQ(traffic.read, 100 + 3 * 8 * 4);
  EXPECT_EQ(traffic.gathered, 5 * 8 * 4);
}

}  // namespace
}  // namespace msda
