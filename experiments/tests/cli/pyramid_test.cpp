#include "runner/experiment/pyramid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/error.hpp>

namespace msda::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Pyramid, KnowsTheTwoSizesOfTheLedger) {
  const auto plain = pyramid_of_size(19560, 4);
  ASSERT_TRUE(plain);
  EXPECT_THAT(plain->levels,
              ElementsAre(Level{92, 160}, Level{46, 80}, Level{23, 40}, Level{12, 20}));
  EXPECT_EQ(plain->layout, ValueLayout::kPlain);
  const auto bordered = pyramid_of_size(20522, 4);
  ASSERT_TRUE(bordered);
  EXPECT_EQ(bordered->levels, plain->levels);
  EXPECT_EQ(bordered->layout, ValueLayout::kZeroBorder);
}

TEST(Pyramid, FindsTheOneNearestToASquare) {
  const auto found = pyramid_of_size(100, 4);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->levels, ElementsAre(Level{8, 9}, Level{4, 5}, Level{2, 3}, Level{1, 2}));
  EXPECT_THAT(pyramid_of_size(100, 1)->levels, ElementsAre(Level{10, 10}));
}

TEST(Pyramid, SizesWithoutOneAreTold) {
  EXPECT_FALSE(pyramid_of_size(2, 4));
  EXPECT_TRUE(pyramid_of_size(4, 4));  // four single pixels
}

TEST(Pyramid, EverySizeFoundAddsUp) {
  for (std::int64_t size = 1; size < 500; ++size) {
    const auto found = pyramid_of_size(size, 3);
    if (!found) continue;
    std::int64_t sum = 0;
    for (const Level& level : found->levels) sum += level.height * level.width;
    EXPECT_EQ(sum, size);
  }
}

TEST(LevelList, ReadsHeightByWidth) {
  EXPECT_THAT(parse_level_list("92x160,46x80"), ElementsAre(Level{92, 160}, Level{46, 80}));
}

TEST(LevelList, QuotesThePartThatIsWrong) {
  for (const char* text : {"", "4x", "x4", "4", "4x4,", "4x4,0x3", "4x4x4", "4x-4", "axb"}) {
    EXPECT_THROW(parse_level_list(text), UsageError) << text;
  }
  try {
    parse_level_list("4x4,5");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'5' is not HEIGHTxWIDTH"));
  }
}

}  // namespace
}  // namespace msda::test
