#include "runner/experiment/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace msda {
namespace {

std::optional<double> in_base(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return static_cast<double>(value);
}

/// Integers beyond this one have no exact double.
constexpr double kLargestExact = 9007199254740992.0;

/// Without an exponent, which is not read everywhere.
std::string plain_text(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) <= kLargestExact;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

}  // namespace

std::optional<double> meant_number(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  std::string_view rest = digits;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  std::optional<double> value;
  if (rest.starts_with("0x") || rest.starts_with("0X")) {
    value = in_base(rest.substr(2), 16);
  } else if (rest.starts_with("0o")) {
    value = in_base(rest.substr(2), 8);
  } else if (rest.starts_with("0b")) {
    value = in_base(rest.substr(2), 2);
  } else {
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const bool whole = error == std::errc{} && end == rest.data() + rest.size();
    if (whole && std::isfinite(number)) value = number;
  }
  if (value && negative) *value = -*value;
  return value;
}

std::string integer_hint(std::string_view text) {
  const auto value = meant_number(text);
  if (!value || *value != std::floor(*value) || std::abs(*value) > kLargestExact) return "";
  return "; write " + plain_text(*value);
}

std::string number_hint(std::string_view text) {
  const auto value = meant_number(text);
  return value ? "; write " + plain_text(*value) : "";
}

std::string quantity_hint(std::string_view text) {
  for (const std::string_view unit : {"ms", "min", "s", "h", "%"}) {
    if (!text.ends_with(unit)) continue;
    std::string_view number = text.substr(0, text.size() - unit.size());
    number = number.substr(0, number.find_last_not_of(' ') + 1);
    const auto value = meant_number(number);
    if (!value || *value <= 0) return "";
    const std::string plain = plain_text(*value);
    if (plain.find('e') == std::string::npos) {
      return fmt::format("; write {}{}{}", plain, unit == "%" ? "" : " ", unit);
    }
    return *value > kLargestExact && unit != "%" ? "; it must be at most a year" : "";
  }
  return "";
}

}  // namespace msda
