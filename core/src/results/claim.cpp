#include "results/claim.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <msda/error.hpp>

namespace msda {
namespace {

using nlohmann::json;
using Quantity = Claim::Quantity;

constexpr std::array<std::pair<Quantity, std::string_view>, 4> kQuantities = {
    {{Quantity::kSpeedup, "speedup"},
     {Quantity::kTime, "time"},
     {Quantity::kSpeedOfLight, "speed-of-light"},
     {Quantity::kNotTestable, "not-testable"}}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

/// A decimal number and half a unit of its last digit.
struct Decimal {
  double value = 0;
  double half_unit = 0;
};

std::optional<Decimal> parse_decimal(std::string_view text) {
  text = trimmed(text);
  // from_chars takes no plus sign.
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  Decimal decimal;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), decimal.value,
                                            std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(decimal.value)) return std::nullopt;
  const std::size_t point = text.find('.');
  const std::size_t decimals = point == std::string_view::npos ? 0 : text.size() - point - 1;
  decimal.half_unit = 0.5 * std::pow(10.0, -static_cast<double>(decimals));
  return decimal;
}

/// "number" with its rounding, or "low..high" as it is; nullopt for anything else.
std::optional<ClaimedRange> parse_range(std::string_view text) {
  constexpr std::string_view kDots = "..";
  const std::size_t dots = text.find(kDots);
  if (dots == std::string_view::npos) {
    const auto decimal = parse_decimal(text);
    if (!decimal) return std::nullopt;
    return ClaimedRange{decimal->value - decimal->half_unit, decimal->value + decimal->half_unit};
  }
  const auto low = parse_decimal(text.substr(0, dots));
  const auto high = parse_decimal(text.substr(dots + kDots.size()));
  if (!low || !high || low->value > high->value) return std::nullopt;
  return ClaimedRange{low->value, high->value};
}

/// True, and the suffix gone, when the text ends in it.
bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

[[noreturn]] void refuse(std::string_view text, std::string_view expected) {
  throw UsageError(fmt::format("'{}' is not {}", text, expected));
}

/// The field as text; "" when it is absent and `required` is false.
std::string text_of(const json& object, const char* key, bool required) {
  const auto found = object.find(key);
  if (found != object.end() && found->is_string()) return found->get<std::string>();
  if (found == object.end() && !required) return "";
  throw UsageError(fmt::format("a claim's '{}' is missing or not a string", key));
}

}  // namespace

std::string_view name_of(Quantity quantity) {
  for (const auto& [known, name] : kQuantities) {
    if (known == quantity) return name;
  }
  return "?";
}

ClaimedRange parse_claimed_speedup(std::string_view text) {
  constexpr std::string_view kExpected =
      "a speedup: 1.6x, +5.3%, -2.1%, or a range such as 1.2..1.3x or +20..30%";
  std::string_view rest = trimmed(text);
  const bool percent = take_suffix(rest, "%");
  if (!percent) take_suffix(rest, "x");
  // A bare percentage could mean a share as well as a change; its sign says which.
  if (percent && !rest.starts_with('+') && !rest.starts_with('-')) refuse(text, kExpected);
  const auto range = parse_range(rest);
  if (!range) refuse(text, kExpected);
  const ClaimedRange ratio =
      percent ? ClaimedRange{1 + range->low / 100, 1 + range->high / 100} : *range;
  if (ratio.low < 0 || ratio.high <= 0) refuse(text, "a speedup: it is not above zero");
  return ratio;
}

ClaimedRange parse_claimed_time(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}}};
  std::string_view rest = trimmed(text);
  for (const auto& [unit, seconds] : kUnits) {
    std::string_view number = rest;
    if (!take_suffix(number, unit)) continue;
    const auto range = parse_range(number);
    if (!range || range->low < 0 || range->high <= 0) break;
    return {range->low * seconds, range->high * seconds};
  }
  refuse(text, "a time: a number above zero, or a range, and its unit: 724 us, 0.7..0.8 ms");
}

ClaimedRange parse_claimed_share(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (take_suffix(rest, "%")) {
    const auto range = parse_range(rest);
    if (range && range->low >= 0 && range->high > 0) return {range->low / 100, range->high / 100};
  }
  refuse(text, "a share of the speed of light: 85% or 80..90%");
}

json to_json(const Claim& claim) {
  json object = {
      {"text", claim.text},   {"source", claim.source},    {"arm", claim.arm},
      {"over", claim.over},   {"problem", claim.problem},  {"quantity", name_of(claim.quantity)},
      {"value", claim.value}, {"low", claim.range.low},    {"high", claim.range.high},
      {"note", claim.note},   {"left_out", claim.left_out}};
  if (claim.mode) object["mode"] = name_of(*claim.mode);
  return object;
}

Claim claim_from_json(const json& object) {
  if (!object.is_object()) throw UsageError("a claim is not a JSON object");
  Claim claim;
  claim.text = text_of(object, "text", true);
  claim.source = text_of(object, "source", false);
  claim.arm = text_of(object, "arm", true);
  claim.over = text_of(object, "over", false);
  claim.problem = text_of(object, "problem", false);
  claim.note = text_of(object, "note", false);
  claim.value = text_of(object, "value", true);
  claim.left_out = text_of(object, "left_out", false);
  if (object.contains("mode")) claim.mode = parse_timing_mode(text_of(object, "mode", true));
  const std::string quantity = text_of(object, "quantity", true);
  for (const auto& [known, name] : kQuantities) {
    if (name != quantity) continue;
    claim.quantity = known;
    if (known == Quantity::kNotTestable) return claim;
    for (const char* key : {"low", "high"}) {
      const auto found = object.find(key);
      if (found == object.end() || !found->is_number()) {
        throw UsageError(fmt::format("a claim's '{}' is missing or not a number", key));
      }
    }
    claim.range = {object.at("low").get<double>(), object.at("high").get<double>()};
    return claim;
  }
  throw UsageError(
      fmt::format("a claim's quantity is '{}', which this version does not know", quantity));
}

}  // namespace msda
