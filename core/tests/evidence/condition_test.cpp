#include "evidence/condition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/error.hpp>

namespace msda {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const std::string& text) {
  try {
    const Condition condition(text);
  } catch (const UsageError& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(Condition, ComparesACountWithANumber) {
  const Numbers numbers = {{"shuffles", 3}};
  EXPECT_TRUE(Condition("shuffles > 2").holds(numbers));
  EXPECT_FALSE(Condition("shuffles > 3").holds(numbers));
  EXPECT_TRUE(Condition("shuffles >= 3").holds(numbers));
  EXPECT_TRUE(Condition("shuffles <= 3").holds(numbers));
  EXPECT_FALSE(Condition("shuffles < 3").holds(numbers));
  EXPECT_TRUE(Condition("shuffles == 3").holds(numbers));
  EXPECT_TRUE(Condition("shuffles != 0.5").holds(numbers));
}

TEST(Condition, TakesWhatNeverHappenedForZero) {
  EXPECT_FALSE(Condition("mma > 0").holds({}));
  EXPECT_TRUE(Condition("mma == 0").holds({}));
}

TEST(Condition, ComparesTwoCounts) {
  const Condition condition("shuffles > shuffles.same");
  EXPECT_TRUE(condition.holds({{"shuffles", 3}, {"shuffles.same", 2}}));
  EXPECT_FALSE(condition.holds({{"shuffles", 3}, {"shuffles.same", 3}}));
  EXPECT_EQ(condition.refuted_by({{"shuffles", 3}, {"shuffles.same", 3}}),
            "shuffles > shuffles.same, but they are 3 and 3");
}

TEST(Condition, KnowsSlotsPrePassesAndInstructions) {
  EXPECT_EQ(refusal_of("shared.pipeline.mbarrier-waits > 0"), "");
  EXPECT_EQ(refusal_of("prepass.workspace.layout.stores > 0"), "");
  EXPECT_EQ(refusal_of("value.tensor-copies.bytes > 0"), "");
  EXPECT_TRUE(Condition("sass.LDG.128 > 0").is_of_sass());
  EXPECT_FALSE(Condition("value.loads > 0").is_of_sass());
}

TEST(Condition, RefusesWhatIsNotCountedAndOtherText) {
  EXPECT_THAT(refusal_of("shufles > 0"), HasSubstr("shuffles"));
  EXPECT_THAT(refusal_of("shuffles > mmma"), HasSubstr("mma"));
  EXPECT_THAT(refusal_of("shuffles"), HasSubstr("NAME > VALUE"));
  EXPECT_THAT(refusal_of("shuffles => 1"), HasSubstr("NAME > VALUE"));
  EXPECT_THAT(refusal_of(""), HasSubstr("NAME > VALUE"));
  for (const char* number : {"nan", "inf", "-inf", "infinity"}) {
    EXPECT_THAT(refusal_of(std::string("shuffles < ") + number),
                HasSubstr(std::string("nothing is ever counted to ") + number));
  }
}

}  // namespace
}  // namespace msda
