// The verdict on a claimed number.
#include "claims/claims.hpp"

#include <cmath>

namespace msda {
namespace {

using Quantity = Claim::Quantity;

constexpr Interval kEqual{1 - kEquivalence, 1 + kEquivalence};

Interval widened(const ClaimedRange& range) {
  return {range.low / (1 + kEquivalence), range.high * (1 + kEquivalence)};
}

/// The interval of 1 / value.
Interval inverse(const Interval& interval) { return {1 / interval.high, 1 / interval.low}; }

/// Where an interval lies with regard to the accepted values. It is around those of *at most* and
/// *at least* where it reaches past their one end: what they claim is on which side of it the value
/// is.
enum class Position { kBelow, kAbove, kMeets, kAround };

bool is_bound(const Interval& accepted) {
  return accepted.low <= 0 || !std::isfinite(accepted.high);
}

Position position(const Interval& measured, const Interval& accepted) {
  if (measured.high < accepted.low) return Position::kBelow;
  if (measured.low > accepted.high) return Position::kAbove;
  const bool past_low = measured.low < accepted.low;
  const bool past_high = measured.high > accepted.high;
  const bool is_around = is_bound(accepted) ? past_low || past_high : past_low && past_high;
  return is_around ? Position::kAround : Position::kMeets;
}

/// The verdict on a claim that has no direction.
ClaimVerdict judge_value(const Interval& measured, const Interval& accepted, ClaimVerdict below,
                         ClaimVerdict above) {
  switch (position(measured, accepted)) {
    case Position::kBelow: return below;
    case Position::kAbove: return above;
    case Position::kMeets: return ClaimVerdict::kConfirmed;
    case Position::kAround: break;
  }
  return ClaimVerdict::kUndecided;
}

/// An interval below the accepted speedups, which are above 1.
ClaimVerdict judge_less(const Interval& measured, const Interval& equal) {
  if (measured.low >= equal.low && measured.high <= equal.high) return ClaimVerdict::kNoEffect;
  if (measured.high < equal.low) return ClaimVerdict::kOpposite;
  return measured.low >= equal.low ? ClaimVerdict::kSmaller : ClaimVerdict::kNotMet;
}

/// The verdict on a claimed speedup above 1. `equal` are the ratios that count as no difference.
ClaimVerdict judge_faster(const Interval& measured, const Interval& accepted,
                          const Interval& equal) {
  switch (position(measured, accepted)) {
    case Position::kBelow: return judge_less(measured, equal);
    case Position::kAbove: return ClaimVerdict::kLarger;
    case Position::kAround: return ClaimVerdict::kUndecided;
    case Position::kMeets: break;
  }
  // An interval that reaches from the claim to no effect, or to the opposite one where the claim
  // itself is next to none, confirms nothing.
  const double least = accepted.low > equal.high ? 1 : equal.low;
  return measured.low < least ? ClaimVerdict::kUndecided : ClaimVerdict::kConfirmed;
}

ClaimVerdict judge_speedup(const ClaimedRange& claimed, const Interval& measured) {
  const Interval accepted = widened(claimed);
  if (claimed.low >= 1 && claimed.high > 1) return judge_faster(measured, accepted, kEqual);
  if (claimed.high <= 1 && claimed.low < 1) {
    return judge_faster(inverse(measured), inverse(accepted), inverse(kEqual));
  }
  return judge_value(measured, accepted, ClaimVerdict::kSlower, ClaimVerdict::kFaster);
}

}  // namespace

std::string_view name_of(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kConfirmed: return "confirmed";
    case ClaimVerdict::kSmaller: return "smaller";
    case ClaimVerdict::kLarger: return "larger";
    case ClaimVerdict::kNotMet: return "not met";
    case ClaimVerdict::kOpposite: return "opposite";
    case ClaimVerdict::kNoEffect: return "no effect";
    case ClaimVerdict::kFaster: return "faster";
    case ClaimVerdict::kSlower: return "slower";
    case ClaimVerdict::kNotReproduced: return "not reproduced";
    case ClaimVerdict::kUndecided: return "undecided";
    case ClaimVerdict::kNotProfiled: return "not profiled";
    case ClaimVerdict::kNotTestable: break;
  }
  return "not testable";
}

ClaimVerdict judge(Quantity quantity, const ClaimedRange& claimed,
                   const std::optional<Interval>& measured_95) {
  if (!measured_95) return ClaimVerdict::kUndecided;
  switch (describe(quantity).kind) {
    case ClaimedKind::kRatio: return judge_speedup(claimed, *measured_95);
    case ClaimedKind::kSeconds:
      return judge_value(*measured_95, widened(claimed), ClaimVerdict::kFaster,
                         ClaimVerdict::kSlower);
    case ClaimedKind::kOperationRate:
    case ClaimedKind::kByteRate:
    case ClaimedKind::kIntensity:
    case ClaimedKind::kShare:
    case ClaimedKind::kError:
    case ClaimedKind::kCount:
      return judge_value(*measured_95, widened(claimed), ClaimVerdict::kSmaller,
                         ClaimVerdict::kLarger);
    case ClaimedKind::kNoNumber: break;
  }
  return ClaimVerdict::kNotTestable;
}

}  // namespace msda
