#include <gtest/gtest.h>

#include "plugin/registry.hpp"

namespace msda {
namespace {

const std::vector<std::string> kNames = {"cpu-scalar", "cpu-simd", "cpu-threads", "vector-loads",
                                         "tma"};

TEST(Nearest, FindsATypingError) {
  EXPECT_EQ(nearest("cpu-scaler", kNames), "cpu-scalar");       // another letter
  EXPECT_EQ(nearest("cpu-thread", kNames), "cpu-threads");      // one missing
  EXPECT_EQ(nearest("vectorr-loads", kNames), "vector-loads");  // one too many
  EXPECT_EQ(nearest("cpu-smid", kNames), "cpu-simd");           // two swapped
  EXPECT_EQ(nearest("cpu_simd", kNames), "cpu-simd");
  EXPECT_EQ(nearest("CPU-SIMD", kNames), "cpu-simd");
}

TEST(Nearest, CountsASwapOnce) {
  // With a limit of one mistake for this length, a swap counted as two would find nothing.
  EXPECT_EQ(nearest("tam", kNames), "tma");
}

TEST(Nearest, TakesTheSmallestDistance) {
  EXPECT_EQ(nearest("points", {"prints", "point", "pints"}), "prints");  // the first of equal ones
  EXPECT_EQ(nearest("batch", {"bitch-p", "batches", "batch_"}), "batch_");
}

TEST(Nearest, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest("persistent", kNames), "");
  EXPECT_EQ(nearest("x", {"y"}), "");  // every single letter would be near
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest("cpu-simd", {}), "");
}

TEST(Suggestion, IsAQuestionOrNothing) {
  EXPECT_EQ(suggestion("cpu-smid", kNames), " (did you mean 'cpu-simd'?)");
  EXPECT_EQ(suggestion("persistent", kNames), "");
}

}  // namespace
}  // namespace msda
