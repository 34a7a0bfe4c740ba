#include <gtest/gtest.h>

#include "plugin/registry.hpp"

namespace msda {
namespace {

class Nearest : public testing::Test {
 protected:
  const std::vector<std::string> names_ = {"cpu-scalar", "cpu-simd", "cpu-threads", "vector-loads",
                                           "tma"};
};
using Suggestion = Nearest;

TEST_F(Nearest, FindsATypingError) {
  EXPECT_EQ(nearest("cpu-scaler", names_), "cpu-scalar");       // another letter
  EXPECT_EQ(nearest("cpu-thread", names_), "cpu-threads");      // one missing
  EXPECT_EQ(nearest("vectorr-loads", names_), "vector-loads");  // one too many
  EXPECT_EQ(nearest("cpu-smid", names_), "cpu-simd");           // two swapped
  EXPECT_EQ(nearest("cpu_simd", names_), "cpu-simd");
  EXPECT_EQ(nearest("CPU-SIMD", names_), "cpu-simd");
}

TEST_F(Nearest, CountsASwapOnce) {
  // With a limit of one mistake for this length, a swap counted as two would find nothing.
  EXPECT_EQ(nearest("tam", names_), "tma");
}

TEST_F(Nearest, TakesTheSmallestDistance) {
  EXPECT_EQ(nearest("points", {"prints", "point", "pints"}), "prints");  // the first of equal ones
  EXPECT_EQ(nearest("batch", {"bitch-p", "batches", "batch_"}), "batch_");
}

TEST_F(Nearest, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest("persistent", names_), "");
  EXPECT_EQ(nearest("x", {"y"}), "");  // every single letter would be near
  EXPECT_EQ(nearest("", names_), "");
  EXPECT_EQ(nearest("cpu-simd", {}), "");
}

TEST_F(Nearest, ChoicesAreAllUnlessThereAreVeryMany) {
  EXPECT_EQ(choices({"warm", "cold"}), "warm, cold");
  const std::string many = choices(std::vector<std::string>(100, "x"));
  EXPECT_TRUE(many.ends_with("x, x and 60 more")) << many;
}

TEST_F(Nearest, WhatIsQuotedCannotSteerATerminal) {
  EXPECT_EQ(shortened("a\x1b[31mred\x07\n"), "a\\x1b[31mred\\x07\\x0a");
  EXPECT_EQ(shortened("\xc2\x9b!"), "\\x9b!");  // a control sequence in one character of UTF-8
  EXPECT_EQ(shortened("Größe"), "Größe");
}

TEST_F(Suggestion, IsAQuestionOrNothing) {
  EXPECT_EQ(suggestion("cpu-smid", names_), " (did you mean 'cpu-simd'?)");
  EXPECT_EQ(suggestion("persistent", names_), "");
}

}  // namespace
}  // namespace msda
