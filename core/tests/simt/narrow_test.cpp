// Rounding of the host's half, bfloat16 and fp8 against the compiler's own types and exact sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#define MSDA_UNCHECKED
#include <msda/simt/host/narrow.cuh>

// What is compared with is the compiler's: those that have no such type, as Clang 14, are told so.
#if defined(__FLT16_MAX__)

namespace msda::simt::host {
namespace {

__extension__ typedef _Float16 Reference;
__extension__ typedef __float128 Quad;

unsigned bits_of(Reference v) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}

Reference half_of(unsigned bits) {
  const auto narrow = static_cast<std::uint16_t>(bits);
  Reference v;
  std::memcpy(&v, &narrow, sizeof v);
  return v;
}

TEST(Half, WidensEveryNumberAndRoundsItBack) {
  for (unsigned bits = 0; bits <= 0xffffU; ++bits) {
    const float wide = Half::widen(bits);
    const auto expected = static_cast<float>(half_of(bits));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(wide)) << bits;
      EXPECT_EQ(Half::round(wide), 0x7fffU);
      continue;
    }
    ASSERT_EQ(wide, expected) << bits;
    ASSERT_EQ(Half::round(wide), bits);
  }
}

TEST(Half, RoundsAsTheCompilerDoes) {
  std::mt19937 random(1);
  for (int i = 0; i < 1'000'000; ++i) {
    // Exponents from far below the smallest half to beyond the largest.
    const unsigned exponent = 127 - 30 + random() % 50;
    const unsigned bits = (random() & 0x807fffffU) | exponent << 23U;
    float v = 0;
    std::memcpy(&v, &bits, sizeof v);
    ASSERT_EQ(Half::round(v), bits_of(static_cast<Reference>(v))) << v;
  }
}

TEST(Half, AMultiplyAddRoundsOnce) {
  std::mt19937 random(2);
  int twice_is_wrong = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    const unsigned a = random() & 0xffffU;
    const unsigned b = random() & 0xffffU;
    const unsigned c = random() & 0xffffU;
    const float x = Half::widen(a);
    const float y = Half::widen(b);
    const float z = Half::widen(c);
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) continue;
    const Quad exact = static_cast<Quad>(x) * y + z;  // 80 bits at most
    const unsigned expected = bits_of(static_cast<Reference>(exact));
    ASSERT_EQ(Half::round(multiply_add_to_odd(x, y, z)), expected) << x << " * " << y << " + " << z;
    twice_is_wrong += Half::round(std::fmaf(x, y, z)) != expected;
  }
  EXPECT_GT(twice_is_wrong, 0) << "the numbers would not show a second rounding";
}

TEST(BFloat, IsTheUpperHalfOfAFloatRounded) {
  std::mt19937 random(3);
  for (int i = 0; i < 1'000'000; ++i) {
    const unsigned bits = random();
    float v = 0;
    std::memcpy(&v, &bits, sizeof v);
    if (!std::isfinite(v)) continue;
    const unsigned expected = (bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U;
    ASSERT_EQ(BFloat::round(v), expected) << v;
    ASSERT_EQ(BFloat::widen(expected), [&] {
      float wide = 0;
      const unsigned upper = expected << 16U;
      std::memcpy(&wide, &upper, sizeof wide);
      return wide;
    }());
  }
}

TEST(Fp8, RoundsToNearestOfItsNumbersAndSaturates) {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> uniform(-460.0F, 460.0F);
  for (int i = 0; i < 100'000; ++i) {
    const float v = i % 2 == 0 ? uniform(random) : uniform(random) / 40000.0F;
    const float rounded = Fp8E4M3::widen(Fp8E4M3::round(v, true));
    float least = 1e9F;
    for (unsigned bits = 0; bits < 256; ++bits) {
      const float candidate = Fp8E4M3::widen(bits);
      if (!std::isnan(candidate)) least = std::min(least, std::fabs(candidate - v));
    }
    ASSERT_EQ(std::fabs(rounded - v), least) << v << " became " << rounded;
  }
  EXPECT_EQ(Fp8E4M3::widen(Fp8E4M3::round(1000.0F, true)), 448.0F);
  EXPECT_TRUE(std::isnan(Fp8E4M3::widen(Fp8E4M3::round(1000.0F))));
  EXPECT_EQ(Fp8E5M2::widen(Fp8E5M2::round(1e6F, true)), 57344.0F);
}

}  // namespace
}  // namespace msda::simt::host

#else

TEST(Narrow, NeedsACompilerWithAHalfOfItsOwn) { GTEST_SKIP() << "there is no _Float16 here"; }

#endif
