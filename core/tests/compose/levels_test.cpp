// Where the code of a composition has the level sizes from, and what is coarser of two roundings.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compose/coarser.hpp"
#include "compose/composition.hpp"
#include "compose/level_class.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

using ::testing::HasSubstr;

Problem of_levels(const std::vector<Level>& levels) { return make_problem({.levels = levels}); }

TEST(LevelClass, KnowsWhetherALevelIsOnePixelWideOrHigh) {
  EXPECT_EQ(class_of(of_levels({{9, 9}, {2, 2}}), LevelForm::kGiven).least, 2);
  EXPECT_EQ(class_of(of_levels({{9, 9}, {1, 2}}), LevelForm::kGiven).least, 1);
  EXPECT_EQ(class_of(of_levels({{2, 1}, {9, 9}}), LevelForm::kGiven).least, 1);
  // A kernel that reads the sizes is for any.
  EXPECT_EQ(class_of(of_levels({{9, 9}, {2, 2}}), LevelForm::kStored).least, 1);
}

TEST(LevelClass, PacksTheNumbersOfPixelsThatFitSixteenBits) {
  EXPECT_TRUE(class_of(of_levels({{256, 256}}), LevelForm::kGiven).packs);
  EXPECT_FALSE(class_of(of_levels({{256, 256}, {1, 1}}), LevelForm::kGiven).packs);
}

TEST(LevelClass, TakesTheFastFloorOfCoordinatesThatItIsRightFor) {
  constexpr std::int64_t kFast = std::int64_t{1} << 22;
  constexpr int kAny = std::numeric_limits<int>::max();
  EXPECT_EQ(class_of(of_levels({{2, kFast}}), LevelForm::kGiven).most, kFast);
  EXPECT_EQ(class_of(of_levels({{2, kFast + 1}}), LevelForm::kGiven).most, kAny);
  EXPECT_EQ(class_of(of_levels({{kFast + 1, 2}}), LevelForm::kGiven).most, kAny);
  EXPECT_EQ(class_of(of_levels({{2, kFast}}), LevelForm::kStored).most, kAny);
}

std::string refusal_of(const char* variant, const char* sizes) {
  static const Registry kRegistry({MSDA_BINARY_DIR "/lib/msda/variants"});
  try {
    const Composition composition(
        kRegistry, {{variant, {}}, {kLevelsVariant, {{kSizesParameter, std::string(sizes)}}}});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Composition, WhoNeedsKnownSizesTakesGivenOnesToo) {
  EXPECT_EQ(refusal_of("precomputed-weights", "given"), "");
  EXPECT_THAT(refusal_of("precomputed-weights", "stored"),
              HasSubstr("'precomputed-weights' and levels: stored do not combine"));
  EXPECT_THAT(refusal_of("texture", "given"), HasSubstr("'texture' and levels: given do not"));
  EXPECT_THAT(refusal_of("texture", "stored"), HasSubstr("'texture' and levels: stored do not"));
}

TEST(Composition, CountsThePixelsOfAnImageInThirtyOneBits) {
  const Registry none(std::vector<std::filesystem::path>{});
  DeviceInfo gpu;
  gpu.id = "cuda:0";
  gpu.kind = DeviceKind::kCuda;
  const auto refusal = [&](std::int64_t width) {
    return Composition(none, {}).unsupported(of_levels({{1, width}}), gpu).value_or("");
  };
  EXPECT_EQ(refusal(std::numeric_limits<std::int32_t>::max()), "");
  EXPECT_EQ(refusal(std::int64_t{1} << 31),
            "an image has 2147483648 pixels; composed kernels count them in 31 bits");
}

/// 4 corners of 4 points of 2 levels.
Problem of_32_corners() { return make_problem({.points = 4, .levels = {{9, 9}, {5, 5}}}); }

Rounding coarser_sums(const Rounding& a, const Rounding& b) {
  const auto with_sums = [](const Rounding& sums) { return Arithmetic{.sums = sums}; };
  const Rounding one = coarser(with_sums(a), with_sums(b), of_32_corners()).sums;
  EXPECT_EQ(one, coarser(with_sums(b), with_sums(a), of_32_corners()).sums);
  return one;
}

TEST(Coarser, ASumOfNoNumberOfTimesIsOneOfAllCorners) {
  const Format unit{0x1p-11, 0x1p-24};
  EXPECT_EQ(coarser_sums({unit, 0}, {unit, 31}), (Rounding{unit, 0}));
  EXPECT_EQ(coarser_sums({unit, 0}, {unit, 33}), (Rounding{unit, 33}));
}

TEST(Coarser, WhatIsFinerMayBeTheCoarserBelowTheNormalNumbers) {
  const Rounding coarse{{0x1p-8, 0x1p-30}, 4};
  const Rounding fine{{0x1p-11, 0x1p-20}, 16};
  const Rounding both = coarser_sums(coarse, fine);
  EXPECT_EQ(both.to.unit, 0x1p-8);
  EXPECT_EQ(both.times, 4);
  EXPECT_DOUBLE_EQ(both.to.smallest, 0x1p-19);  // four of these are as much as sixteen of 2^-20
}

}  // namespace
}  // namespace msda
