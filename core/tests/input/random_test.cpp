#include "input/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace msda {
namespace {

// Known answers published with Random123 (kat_vectors, philox4x32 10).
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(
      philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
      (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, UniformNeverReachesItsEnds) {
  EXPECT_GT(to_uniform(0), 0.0);
  EXPECT_LT(to_uniform(0xffffffff), 1.0);
}

TEST(Random, IndexStaysBelowTheCount) {
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{3}, std::int64_t{1} << 31U}) {
    EXPECT_EQ(to_index(0, count), 0);
    EXPECT_EQ(to_index(0xffffffff, count), count - 1);
  }
}

TEST(Random, NormalsDoNotDependOnHowTheyAreCut) {
  const RandomSource random(42);
  std::vector<float> whole(23);
  random.fill_normals(RandomStream::kValue, 5, whole);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    float one = 0;
    random.fill_normals(RandomStream::kValue, 5 + static_cast<std::int64_t>(i), {&one, 1});
    EXPECT_EQ(one, whole[i]) << i;
  }
}

TEST(Random, SeedsAndStreamsDiffer) {
  EXPECT_NE(RandomSource(1).block(RandomStream::kValue, 0),
            RandomSource(2).block(RandomStream::kValue, 0));
  EXPECT_NE(RandomSource(1).block(RandomStream::kValue, 0),
            RandomSource(1ULL << 32U | 1U).block(RandomStream::kValue, 0));
  EXPECT_NE(RandomSource(1).block(RandomStream::kValue, 0),
            RandomSource(1).block(RandomStream::kLogit, 0));
  EXPECT_NE(RandomSource(1).block(RandomStream::kValue, 0),
            RandomSource(1).block(RandomStream::kValue, 1ULL << 32U));
}

TEST(Random, NormalsHaveTheMomentsOfTheNormalDistribution) {
  std::vector<float> normals(200000);
  RandomSource(3).fill_normals(RandomStream::kValue, 0, normals);
  double sum = 0;
  double squares = 0;
  double fourths = 0;
  for (const float x : normals) {
    const double square = static_cast<double>(x) * static_cast<double>(x);
    sum += static_cast<double>(x);
    squares += square;
    fourths += square * square;
  }
  const auto count = static_cast<double>(normals.size());
  EXPECT_NEAR(sum / count, 0, 0.01);  // 4.5 standard errors
  EXPECT_NEAR(squares / count, 1, 0.015);
  EXPECT_NEAR(fourths / count, 3, 0.1);
}

}  // namespace
}  // namespace msda
