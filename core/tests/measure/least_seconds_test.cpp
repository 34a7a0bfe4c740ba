#include "measure/least_seconds.hpp"

#include <gtest/gtest.h>

namespace msda {
namespace {

Problem problem() {
  Problem problem;
  problem.batch = 2;
  problem.queries = 1000;
  problem.heads = 1;
  problem.channels = 32;
  problem.points = 8;
  problem.levels = {{10, 10}, {5, 5}};
  problem.types = Types::all(DType::kFloat16);
  return problem;
}

/// 32,000 points of a weight and two coordinates of 2 bytes, and 64,000 outputs of 2 bytes.
constexpr double kRead = 32000 * 3 * 2;
constexpr double kWritten = 64000 * 2;

TEST(LeastSeconds, WhatHasToBeReadComesFromMemoryWhenCachesAreCold) {
  const Ceilings ceilings{1e9, 100e9, 50e9, 0, 0};
  EXPECT_DOUBLE_EQ(least_seconds(problem(), TimingMode::kCold, ceilings), kRead / 1e9);
  EXPECT_DOUBLE_EQ(least_seconds(problem(), TimingMode::kWarm, ceilings),
                   (kRead + kWritten) / 50e9);
  EXPECT_DOUBLE_EQ(least_seconds(problem(), TimingMode::kGraph, ceilings),
                   (kRead + kWritten) / 50e9);
}

TEST(LeastSeconds, OfACpuTheFirstLevelCacheIsTheLimit) {
  const Ceilings ceilings{1e9, 100e9};
  EXPECT_DOUBLE_EQ(least_seconds(problem(), TimingMode::kWarm, ceilings),
                   (kRead + kWritten) / 100e9);
}

TEST(LeastSeconds, AreNoneWhereNothingIsKnown) {
  EXPECT_EQ(least_seconds(problem(), TimingMode::kCold, {}), 0);
}

}  // namespace
}  // namespace msda
