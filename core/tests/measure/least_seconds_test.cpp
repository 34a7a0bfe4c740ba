#include "measure/least_seconds.hpp"
#include "support/problems.hpp"

#include <gtest/gtest.h>

#include "operators/operator.hpp"

namespace msda {
namespace {

Problem problem() {
  return in_type(
      DType::kFloat16,
      make_problem({.batch = 2, .queries = 1000, .points = 8, .levels = {{10, 10}, {5, 5}}}));
}

Traffic traffic() { return find_operator("forward").traffic(problem()); }

/// 32,000 points of a weight and two coordinates of 2 bytes, and 64,000 outputs of 2 bytes.
constexpr double kRead = 32000 * 3 * 2;
constexpr double kWritten = 64000 * 2;

TEST(LeastSeconds, WhatHasToBeReadComesFromMemoryWhenCachesAreCold) {
  const Ceilings ceilings{1e9, 100e9, 50e9, 0, 0};
  EXPECT_DOUBLE_EQ(least_seconds(traffic(), TimingMode::kCold, ceilings), kRead / 1e9);
  EXPECT_DOUBLE_EQ(least_seconds(traffic(), TimingMode::kWarm, ceilings),
                   (kRead + kWritten) / 50e9);
  EXPECT_DOUBLE_EQ(least_seconds(traffic(), TimingMode::kGraph, ceilings),
                   (kRead + kWritten) / 50e9);
}

TEST(LeastSeconds, OfACpuTheFirstLevelCacheIsTheLimit) {
  const Ceilings ceilings{1e9, 100e9};
  EXPECT_DOUBLE_EQ(least_seconds(traffic(), TimingMode::kWarm, ceilings),
                   (kRead + kWritten) / 100e9);
}

TEST(LeastSeconds, AreNoneWhereNothingIsKnown) {
  EXPECT_EQ(least_seconds(traffic(), TimingMode::kCold, {}), 0);
}

}  // namespace
}  // namespace msda
