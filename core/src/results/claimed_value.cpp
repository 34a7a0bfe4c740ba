// The numbers in claims: "4.4x", "+20..30%", "at most 724 us".
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <msda/error.hpp>

#include "results/claim.hpp"

namespace msda {
namespace {

using Quantity = Claim::Quantity;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct UnitScale {
  std::string_view suffix;
  double factor;
};

constexpr std::array<UnitScale, 4> kTimes = {{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
constexpr std::array<UnitScale, 3> kRates = {
    {{"MFLOP/s", 1e6}, {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}}};
constexpr std::array<UnitScale, 3> kBandwidths = {{{"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}}};
constexpr std::array<UnitScale, 1> kIntensities = {{{"FLOP/B", 1}}};
constexpr std::array<UnitScale, 1> kShares = {{{"%", 1e-2}}};
constexpr std::array<UnitScale, 1> kNoUnit = {{{"", 1}}};

/// What a number of the kind is followed by; empty for those that are no plain numbers.
std::span<const UnitScale> units_of(ClaimedKind kind) {
  switch (kind) {
    case ClaimedKind::kSeconds: return kTimes;
    case ClaimedKind::kOperationRate: return kRates;
    case ClaimedKind::kByteRate: return kBandwidths;
    case ClaimedKind::kIntensity: return kIntensities;
    case ClaimedKind::kShare: return kShares;
    case ClaimedKind::kError: return kNoUnit;
    case ClaimedKind::kRatio:
    case ClaimedKind::kCount:
    case ClaimedKind::kNoNumber: break;
  }
  return {};
}

constexpr std::string_view kOutcomes[] = {"hung",   "crashed", "wrong",
                                          "failed", "ok",      Claim::kIdentical};

constexpr std::array kQuantities = {
    ClaimedQuantity{Quantity::kSpeedup, ClaimedKind::kRatio, "speedup",
                    "`1.6x`, `+5.3%`, `1.2..1.3x`, `at most 1x`", "time of `over` / time of `arm`"},
    ClaimedQuantity{Quantity::kTime, ClaimedKind::kSeconds, "time", "`724 us`, `0.7..0.8 ms`",
                    "of a launch", true},
    ClaimedQuantity{Quantity::kThroughput, ClaimedKind::kOperationRate, "throughput",
                    "`22.9 TFLOP/s`", "the operator's operations per second", true},
    ClaimedQuantity{Quantity::kBandwidth, ClaimedKind::kByteRate, "bandwidth",
                    "`473 GB/s`, `at least 2 TB/s`",
                    "the least traffic that the problem needs, per second", true},
    ClaimedQuantity{Quantity::kIntensity, ClaimedKind::kIntensity, "intensity", "`49 FLOP/B`",
                    "operations for each byte of that traffic"},
    ClaimedQuantity{Quantity::kSpeedOfLight, ClaimedKind::kShare, "speed-of-light",
                    "`85%`, `80..90%`", "share of what the device's ceilings allow"},
    ClaimedQuantity{Quantity::kError, ClaimedKind::kError, "error", "`2e-4`, `at most 1e-3`",
                    "relative L2 error against the float64 reference"},
    ClaimedQuantity{Quantity::kCounter, ClaimedKind::kCount, "counter",
                    "`{metric: 0}`, `{metric: at most 2e9}`",
                    "what [`msda profile`](profiling.md) counted in the arm's main kernel"},
    ClaimedQuantity{Quantity::kOutcome, ClaimedKind::kNoNumber, "outcome",
                    "`hung`, `crashed`, `wrong`, `failed`, `ok`, `identical`",
                    "how the arm ends; or that its output has the bits "
                    "of that of `over`"},
    ClaimedQuantity{Quantity::kNotTestable, ClaimedKind::kNoNumber, "not-testable", "text",
                    "why a run cannot tell"}};

enum class Bound { kNone, kAtMost, kAtLeast };

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

/// True, and the prefix gone, when the text begins with it.
bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text = trimmed(text.substr(prefix.size()));
  return true;
}

/// True, and the suffix gone, when the text ends in it.
bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

Bound take_bound(std::string_view& text) {
  text = trimmed(text);
  if (take_prefix(text, "at most ")) return Bound::kAtMost;
  if (take_prefix(text, "at least ")) return Bound::kAtLeast;
  return Bound::kNone;
}

/// A decimal number and half a unit of its last digit.
struct Decimal {
  double value = 0;
  double half_unit = 0;
};

/// Digits, and an exponent where the quantity has one.
std::optional<Decimal> parse_decimal(std::string_view text, bool with_exponent) {
  text = trimmed(text);
  // from_chars takes no plus sign.
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  Decimal decimal;
  const auto format = with_exponent ? std::chars_format::general : std::chars_format::fixed;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), decimal.value, format);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(decimal.value)) return std::nullopt;
  const std::size_t exponent_at = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, exponent_at);
  int exponent = 0;
  if (exponent_at != std::string_view::npos) {
    const std::string_view rest = text.substr(exponent_at + 1);
    const std::size_t sign = rest.starts_with('+') ? 1 : 0;
    std::from_chars(rest.data() + sign, rest.data() + rest.size(), exponent);
  }
  const std::size_t point = digits.find('.');
  const auto decimals =
      point == std::string_view::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  decimal.half_unit = 0.5 * std::pow(10.0, exponent - decimals);
  return decimal;
}

/// "number" with its rounding, a bound or "low..high" as it is; nullopt for anything else.
std::optional<ClaimedRange> parse_range(std::string_view text, Bound bound, bool with_exponent) {
  constexpr std::string_view kDots = "..";
  const std::size_t dots = text.find(kDots);
  if (dots == std::string_view::npos) {
    const auto decimal = parse_decimal(text, with_exponent);
    if (!decimal) return std::nullopt;
    if (bound == Bound::kAtMost) return ClaimedRange{-kInfinity, decimal->value};
    if (bound == Bound::kAtLeast) return ClaimedRange{decimal->value, kInfinity};
    return ClaimedRange{decimal->value - decimal->half_unit, decimal->value + decimal->half_unit};
  }
  const auto low = parse_decimal(text.substr(0, dots), with_exponent);
  const auto high = parse_decimal(text.substr(dots + kDots.size()), with_exponent);
  if (bound != Bound::kNone || !low || !high || low->value > high->value) return std::nullopt;
  return ClaimedRange{low->value, high->value};
}

/// A number or a range above zero with one of the units; nullopt for anything else.
std::optional<ClaimedRange> parse_with_unit(std::string_view text, std::span<const UnitScale> units,
                                            bool with_exponent = false) {
  const Bound bound = take_bound(text);
  for (const UnitScale& unit : units) {
    std::string_view number = text;
    if (!take_suffix(number, unit.suffix)) continue;
    const auto range = parse_range(number, bound, with_exponent);
    if (!range || range->high <= 0) return std::nullopt;
    if (range->low < 0 && bound != Bound::kAtMost) return std::nullopt;
    return ClaimedRange{std::max(0.0, range->low) * unit.factor, range->high * unit.factor};
  }
  return std::nullopt;
}

/// "4.4x", "4.4" or, with a sign that tells a change from a share, "+5.3%".
std::optional<ClaimedRange> parse_speedup(std::string_view text) {
  const Bound bound = take_bound(text);
  const bool percent = take_suffix(text, "%");
  if (!percent) take_suffix(text, "x");
  if (percent && !text.starts_with('+') && !text.starts_with('-')) return std::nullopt;
  const auto range = parse_range(text, bound, false);
  if (!range) return std::nullopt;
  const ClaimedRange ratio =
      percent ? ClaimedRange{1 + range->low / 100, 1 + range->high / 100} : *range;
  if ((ratio.low < 0 && bound != Bound::kAtMost) || ratio.high <= 0) return std::nullopt;
  return ClaimedRange{std::max(0.0, ratio.low), ratio.high};
}

/// A count, or a share that the profiler has in percent; both may be zero.
std::optional<ClaimedRange> parse_counter(std::string_view text) {
  const Bound bound = take_bound(text);
  take_suffix(text, "%");
  if (trimmed(text).starts_with('-')) return std::nullopt;
  const auto range = parse_range(text, bound, true);
  if (!range) return std::nullopt;
  return ClaimedRange{std::max(0.0, range->low), range->high};
}

std::optional<ClaimedRange> parse(Quantity quantity, std::string_view text) {
  const ClaimedKind kind = describe(quantity).kind;
  if (kind == ClaimedKind::kRatio) return parse_speedup(text);
  if (kind == ClaimedKind::kCount) return parse_counter(text);
  if (quantity == Quantity::kOutcome) {
    const bool known =
        std::find(std::begin(kOutcomes), std::end(kOutcomes), text) != std::end(kOutcomes);
    return known ? std::optional(ClaimedRange{}) : std::nullopt;
  }
  if (kind == ClaimedKind::kNoNumber) return ClaimedRange{};
  return parse_with_unit(text, units_of(kind), kind == ClaimedKind::kError);
}

/// "(at most |at least )", and numbers as parse_decimal() takes them.
constexpr std::string_view kBoundPattern = "^((at most|at least) +)?";
constexpr std::string_view kNumberPattern = "[0-9]+(\\.[0-9]*)?";
constexpr std::string_view kExponentPattern = "([eE][+-]?[0-9]+)?";

/// One number, or a range of two.
std::string numbers_pattern(std::string_view exponent) {
  return fmt::format("\\+?{0}{1}( *\\.\\. *\\+?{0}{1})?", kNumberPattern, exponent);
}

/// The same above zero: a range ends in such a number.
std::string positive_pattern(std::string_view exponent) {
  return "(?=[^a-zA-Z%]*[1-9])" + numbers_pattern(exponent);
}

}  // namespace

std::span<const ClaimedQuantity> claimed_quantities() { return kQuantities; }

const ClaimedQuantity& describe(Quantity quantity) {
  return *std::find_if(kQuantities.begin(), kQuantities.end(),
                       [&](const ClaimedQuantity& known) { return known.quantity == quantity; });
}

std::string_view name_of(Quantity quantity) { return describe(quantity).name; }

std::string claimed_pattern(Quantity quantity) {
  if (quantity == Quantity::kOutcome) return fmt::format("^({})$", fmt::join(kOutcomes, "|"));
  const ClaimedKind kind = describe(quantity).kind;
  if (kind == ClaimedKind::kNoNumber) return "";
  if (kind == ClaimedKind::kRatio) {
    return fmt::format("{}({} *x?|[+-]{}( *\\.\\. *[+-]?{})? *%)$", kBoundPattern,
                       positive_pattern(""), kNumberPattern, kNumberPattern);
  }
  if (kind == ClaimedKind::kCount) {
    return fmt::format("{}{} *%?$", kBoundPattern, numbers_pattern(kExponentPattern));
  }
  std::vector<std::string_view> suffixes;
  for (const UnitScale& unit : units_of(kind)) suffixes.push_back(unit.suffix);
  const std::string_view exponent = kind == ClaimedKind::kError ? kExponentPattern : "";
  return fmt::format("{}{} *({})$", kBoundPattern, positive_pattern(exponent),
                     fmt::join(suffixes, "|"));
}

ClaimedRange parse_claimed(Quantity quantity, std::string_view text) {
  if (const auto range = parse(quantity, text)) return *range;
  const ClaimedQuantity& known = describe(quantity);
  std::string examples(known.form);
  std::erase(examples, '`');
  const bool may_be_zero =
      known.kind == ClaimedKind::kNoNumber || known.kind == ClaimedKind::kCount;
  throw UsageError(fmt::format("'{}' is no {}{}, such as {}", shortened(text), name_of(quantity),
                               may_be_zero ? "" : " above zero", examples));
}

}  // namespace msda
