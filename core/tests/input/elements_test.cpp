#include "input/elements.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "support/tensors.hpp"

namespace msda {
namespace {

float through(DType type, float x) {
  Bytes element(size_of(type));
  store_element(type, element.data(), 0, x);
  return static_cast<float>(load_element(type, element.data(), 0));
}

TEST(Elements, RoundToNearestEven) {
  // fp16 has 10 bits after the point: 1 + 2^-11 is a tie between 1 and 1 + 2^-10.
  EXPECT_EQ(through(DType::kFloat16, 1 + 0x1p-11F), 1.0F);
  EXPECT_EQ(through(DType::kFloat16, 1 + 3 * 0x1p-11F), 1 + 0x1p-9F);
  EXPECT_EQ(through(DType::kFloat16, 1 + 0x1p-11F + 0x1p-20F), 1 + 0x1p-10F);
  // bf16 has 7.
  EXPECT_EQ(through(DType::kBFloat16, 1 + 0x1p-8F), 1.0F);
  EXPECT_EQ(through(DType::kBFloat16, 1 + 3 * 0x1p-8F), 1 + 0x1p-6F);
  EXPECT_EQ(through(DType::kFloat32, 0.1F), 0.1F);
}

TEST(Elements, KnowSubnormalsAndTheRange) {
  EXPECT_EQ(through(DType::kFloat16, 0x1p-24F), 0x1p-24F);
  EXPECT_EQ(through(DType::kFloat16, 65504.0F), 65504.0F);
  EXPECT_TRUE(std::isinf(through(DType::kFloat16, 65520.0F)));
  EXPECT_EQ(through(DType::kBFloat16, 0x1p100F), 0x1p100F);
  for (const DType type : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    EXPECT_TRUE(std::isnan(through(type, std::numeric_limits<float>::quiet_NaN())));
    EXPECT_TRUE(std::isinf(through(type, std::numeric_limits<float>::infinity())));
  }
}

TEST(Elements, BitPatternsAreTheStandards) {
  Bytes half(2);
  store_element(DType::kFloat16, half.data(), 0, -2.0F);
  EXPECT_EQ(half, (Bytes{std::byte{0x00}, std::byte{0xC0}}));
  Bytes brain(2);
  store_element(DType::kBFloat16, brain.data(), 0, -2.0F);
  EXPECT_EQ(brain, (Bytes{std::byte{0x00}, std::byte{0xC0}}));
  store_element(DType::kBFloat16, brain.data(), 0, 1.0F);
  EXPECT_EQ(brain, (Bytes{std::byte{0x80}, std::byte{0x3F}}));
}

TEST(Elements, RangesStartWhereTheyAreAsked) {
  const Bytes tensor = make_tensor(DType::kFloat16, {0, 1, 2, 3, 4});
  std::vector<float> middle(3);
  load_floats(DType::kFloat16, tensor.data(), 1, middle);
  EXPECT_EQ(middle, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(load_element(DType::kFloat16, tensor.data(), 4), 4.0);
}

}  // namespace
}  // namespace msda
