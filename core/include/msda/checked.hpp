// Sums and products of sizes that name themselves when they leave 63 bits.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <msda/error.hpp>

namespace msda {

/// A factor of a product with the words an error message calls it by.
struct NamedSize {
  std::string_view name;
  std::int64_t value;
};

/// The product of the factors. Throws UsageError with `field` and the factors when it leaves 63
/// bits.
inline std::int64_t checked_product(std::string_view field, std::span<const NamedSize> factors) {
  std::int64_t product = 1;
  bool overflows = false;
  for (const NamedSize& factor : factors)
    overflows |= __builtin_mul_overflow(product, factor.value, &product);
  if (!overflows) return product;
  std::string text;
  for (const NamedSize& factor : factors) {
    text.append(text.empty() ? "" : " * ").append(factor.name).append("=");
    text += std::to_string(factor.value);
  }
  throw UsageError(std::string(field) + ": " + text + " does not fit in 63 bits");
}
inline std::int64_t checked_product(std::string_view field,
                                    std::initializer_list<NamedSize> factors) {
  return checked_product(field, std::span(factors.begin(), factors.size()));
}

/// a + b. Throws UsageError with `field` and both when it leaves 63 bits.
inline std::int64_t checked_sum(std::string_view field, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  throw UsageError(std::string(field) + ": " + std::to_string(a) + " + " + std::to_string(b) +
                   " does not fit in 63 bits");
}

}  // namespace msda
