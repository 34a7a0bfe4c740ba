// Which pyramids code without constant level sizes takes.
#include <vector>

#include <gtest/gtest.h>

#include <msda/runtime/level_sizes.hpp>

namespace msda::test {
namespace {

constexpr LevelClass kPacked = {.packs = true, .least = 2, .most = 1 << 22};

bool takes(const LevelClass& compiled, const std::vector<long long>& shapes, long long pixels,
           int border = 0, long long shift = 0) {
  std::vector<long long> starts;
  long long start = 0;
  for (std::size_t l = 0; l < shapes.size(); l += 2) {
    starts.push_back(start);
    start += (shapes[l] + 2 * border) * (shapes[l + 1] + 2 * border) + shift;
  }
  return runtime::takes_pyramid(compiled, shapes.data(), starts.data(),
                                static_cast<int>(starts.size()), pixels, border);
}

TEST(TakesPyramid, OfItsClassAlone) {
  EXPECT_TRUE(takes(kPacked, {8, 6, 4, 3}, 60));
  EXPECT_TRUE(takes(kPacked, {4, 3, 8, 6}, 60)) << "ascending";
  EXPECT_FALSE(takes(kPacked, {8, 6, 1, 3}, 51)) << "a level of one row";
  EXPECT_TRUE(takes({.packs = true, .least = 1, .most = 1 << 22}, {8, 6, 1, 3}, 51));
  EXPECT_FALSE(takes(kPacked, {300, 300}, 90000)) << "more pixels than 16 bits number";
  EXPECT_TRUE(takes({.packs = false, .least = 2, .most = 1 << 22}, {300, 300}, 90000));
  EXPECT_FALSE(takes({.packs = false, .least = 2, .most = 200}, {300, 300}, 90000));
}

TEST(TakesPyramid, OnlyWhereLevelsAreAllOfTheImageOneAfterAnother) {
  EXPECT_FALSE(takes(kPacked, {8, 6, 4, 3}, 61));
  EXPECT_FALSE(takes(kPacked, {8, 6, 4, 3}, 59));
  EXPECT_FALSE(takes(kPacked, {8, 6, 4, 3}, 61, 0, 1)) << "a gap between levels";
  EXPECT_FALSE(takes(kPacked, {-8, -6, 4, 3}, 60));
  EXPECT_FALSE(takes(kPacked, {1LL << 62, 1LL << 62}, 60)) << "a product that wraps";
  EXPECT_TRUE(takes(kPacked, {8, 6, 4, 3}, 110, 1)) << "inside a border";
}

TEST(AtSizes, LeavesThePlanOfConstantSizes) {
  LaunchPlan plan{};
  plan.main.shared_bytes = 100;
  plan.resident = {64, 90};
  EXPECT_EQ(runtime::at_sizes(plan, {}, 1).main.shared_bytes, 100U);
}

TEST(AtSizes, TakesTheSharedMemoryOfTheLevelsAtHand) {
  LaunchPlan plan{};
  plan.levels = kGivenLevels;
  plan.main.shared_bytes = 20000;
  plan.resident = {.pixel_bytes = 64, .bytes = 16384};
  const long long shapes[] = {40, 40, 8, 8};
  const long long starts[] = {0, 1600};
  const LevelSizes sizes = runtime::level_sizes(shapes, starts, 2, 1664LL);
  EXPECT_EQ(runtime::at_sizes(plan, sizes, 2).main.shared_bytes, 20000U - 16384U + 64U * 64U);
}

}  // namespace
}  // namespace msda::test
