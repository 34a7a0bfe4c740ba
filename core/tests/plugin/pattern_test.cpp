#include "pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace msda {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(PatternTest, FindsTheFirstPlaceAndItsGroups) {
  const Pattern pattern("(\\d+) bytes (\\w+)?");
  EXPECT_THAT(pattern.search("12 bytes smem, 34 bytes"),
              Optional(ElementsAre("12 bytes smem", "12", "smem")));
  EXPECT_THAT(pattern.search("5 bytes "), Optional(ElementsAre("5 bytes ", "5", "")));
  EXPECT_EQ(pattern.search("no bytes here"), std::nullopt);
  EXPECT_EQ(pattern.search({}), std::nullopt);
}

TEST(PatternTest, ReadsNoFurtherThanTheView) {
  const std::string_view text = "1234";
  EXPECT_THAT(Pattern("\\d+").search(text.substr(0, 2)), Optional(ElementsAre("12")));
}

TEST(PatternTest, MatchesAWholeTextOrNot) {
  const Pattern pattern("[a-z]+");
  EXPECT_TRUE(pattern.matches("abc"));
  EXPECT_FALSE(pattern.matches("abc1"));
  EXPECT_FALSE(pattern.matches(""));
}

}  // namespace
}  // namespace msda
