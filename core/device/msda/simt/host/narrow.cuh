// Rounding to floating-point types of 16 and 8 bits on the host, and exact sums to round.
#pragma once

namespace msda::simt::host {

/// `mantissa` stored bits of a significand and `exponent` bits, biased by `bias`. With `finite`
/// there are no infinities: all exponents are of numbers, and only all bits set is a NaN.
template <int mantissa, int exponent, int bias, bool finite = false>
struct Narrow {
  static constexpr int kMantissa = mantissa;
  static constexpr unsigned kSign = 1U << (mantissa + exponent);
  static constexpr unsigned kExponents = (1U << exponent) - 1U;
  static constexpr unsigned kInfinity = kExponents << mantissa;
  static constexpr unsigned kNan = finite ? kSign - 1U : kInfinity | (kSign - 1U);
  /// Largest finite magnitude.
  static constexpr unsigned kLargest = finite ? kNan - 1U : kInfinity - 1U;

  /// Nearest number, ties to even; beyond the largest infinity, or with `saturates` the largest.
  MSDA_UNCHECKED static unsigned round(double value, bool saturates = false) {
    const auto bits = __builtin_bit_cast(unsigned long long, value);
    const unsigned sign = (bits >> 63U) != 0 ? kSign : 0U;
    if (value != value) return kNan;
    const auto magnitude = bits & 0x7fffffffffffffffULL;
    const int power = static_cast<int>(magnitude >> 52U) - 1023;
    const int stored = power + bias;  // exponent field of a normal number
    const unsigned limit = saturates ? kLargest : finite ? kNan : kInfinity;
    if (stored >= 1 && stored < static_cast<int>(kExponents)) {
      // Almost all: the exponent changes its bias, and a carry of the significand goes there.
      constexpr int kDropped = 52 - mantissa;
      const unsigned long long rounded =
          magnitude + ((1ULL << (kDropped - 1)) - 1U) + (magnitude >> kDropped & 1U);
      const unsigned result = static_cast<unsigned>(
          (rounded >> kDropped) - (static_cast<unsigned long long>(1023 - bias) << mantissa));
      return sign | (result > kLargest ? limit : result);
    }
    if (stored > static_cast<int>(kExponents)) return sign | limit;
    // A subnormal number loses as many bits as its exponent lacks.
    const int dropped = 52 - mantissa + (stored < 1 ? 1 - stored : 0);
    if (dropped > 54) return sign;
    const unsigned long long significand =
        (magnitude & 0xfffffffffffffULL) | (power > -1023 ? 1ULL << 52U : 0ULL);
    const unsigned long long half = 1ULL << (dropped - 1);
    const unsigned long long odd = significand >> dropped & 1U;
    const unsigned long long kept = (significand + half - 1U + odd) >> dropped;
    // The hidden bit of a normal number adds one to the exponent below it.
    const unsigned result = static_cast<unsigned>(kept) +
                            (stored < 1 ? 0U : static_cast<unsigned>(stored - 1) << mantissa);
    return sign | (result > kLargest ? limit : result);
  }

  MSDA_UNCHECKED static float widen(unsigned bits) {
    const unsigned magnitude = bits & (kSign - 1U);
    const unsigned sign = (bits & kSign) != 0 ? 0x80000000U : 0U;
    const unsigned field = magnitude >> mantissa;
    constexpr unsigned kRebias = static_cast<unsigned>(127 - bias) << 23U;
    if (field != 0 && field != kExponents) {
      return __builtin_bit_cast(float, sign | ((magnitude << (23 - mantissa)) + kRebias));
    }
    const unsigned fraction = magnitude & ((1U << mantissa) - 1U);
    if (finite ? magnitude == kNan : magnitude > kInfinity) {
      return __builtin_bit_cast(float, 0x7fffffffU);
    }
    if (!finite && magnitude == kInfinity) return __builtin_bit_cast(float, sign | 0x7f800000U);
    if (field == 0) {
      // fraction * 2^(1 - bias - mantissa), exact in float32 but where its own subnormals begin.
      const double unit = __builtin_bit_cast(
          double, static_cast<unsigned long long>(1 - bias - mantissa + 1023) << 52U);
      const auto small = static_cast<float>(fraction * unit);
      return sign != 0 ? -small : small;
    }
    const unsigned wide = (field - bias + 127U) << 23U | fraction << (23 - mantissa);
    return __builtin_bit_cast(float, sign | wide);
  }
};

using Half = Narrow<10, 5, 15>;
using BFloat = Narrow<7, 8, 127>;
using Fp8E4M3 = Narrow<3, 4, 7, true>;
using Fp8E5M2 = Narrow<2, 5, 15>;

/// a + b as a double from which rounding once more gives what rounding the exact sum gives: where
/// bits are lost, the last one that is kept is odd ("round to odd").
MSDA_UNCHECKED inline double sum_to_odd(double a, double b) {
  const double sum = a + b;
  const double of_b = sum - a;
  const double lost = (a - (sum - of_b)) + (b - of_b);
  auto bits = __builtin_bit_cast(unsigned long long, sum);
  if (lost != 0.0 && lost == lost && (bits & 1U) == 0) {
    const bool grows = (lost > 0.0) == (sum > 0.0);
    bits += grows ? 1U : ~0ULL;
  }
  return __builtin_bit_cast(double, bits);
}

/// a * b + c for factors of at most 24 bits, whose product a double holds exactly.
inline double multiply_add_to_odd(float a, float b, float c) {
  return sum_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c));
}

}  // namespace msda::simt::host
