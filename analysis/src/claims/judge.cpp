// The verdict on a claimed number.
#include "claims/claims.hpp"

#include <algorithm>
#include <cmath>

namespace msda {
namespace {

using Quantity = Claim::Quantity;

/// Of the effect that is judged at most this part is forgiven.
constexpr double kOfTheEffect = 0.2;

/// The least effect that a claimed ratio has; 0 of "at most 1x", which claims none.
double effect_of(const ClaimedRange& claimed) {
  return std::min(std::abs(claimed.low - 1), std::abs(claimed.high - 1));
}

/// How far a ratio may miss what is claimed: kEquivalence, and less of a small effect.
double tolerance_of(const ClaimedRange& claimed) {
  const double effect = effect_of(claimed);
  return effect > 0 ? std::min(kEquivalence, kOfTheEffect * effect) : kEquivalence;
}

bool is_bound(const ClaimedRange& claimed) {
  return claimed.low <= 0 || !std::isfinite(claimed.high);
}

Interval widened(const ClaimedRange& range, double tolerance) {
  return {range.low / (1 + tolerance), range.high * (1 + tolerance)};
}

/// *At most* and *at least* say themselves where they end.
Interval accepted_values(const ClaimedRange& range) {
  return is_bound(range) ? Interval{range.low, range.high} : widened(range, kEquivalence);
}

/// Of ratios: "at most 1x" is met by what cannot be told from 1.
Interval accepted_ratios(const ClaimedRange& range) {
  const bool ends = is_bound(range) && effect_of(range) > 0;
  return ends ? Interval{range.low, range.high} : widened(range, tolerance_of(range));
}

/// The interval of 1 / value.
Interval inverse(const Interval& interval) { return {1 / interval.high, 1 / interval.low}; }

/// Where an interval lies with regard to the accepted values: all of it on one side, all of it
/// inside, or some of it.
enum class Position { kBelow, kAbove, kInside, kAround };

Position position(const Interval& measured, const Interval& accepted) {
  if (measured.high < accepted.low) return Position::kBelow;
  if (measured.low > accepted.high) return Position::kAbove;
  const bool is_inside = measured.low >= accepted.low && measured.high <= accepted.high;
  return is_inside ? Position::kInside : Position::kAround;
}

/// The verdict on a claim that has no direction.
ClaimVerdict judge_value(const Interval& measured, const Interval& accepted, ClaimVerdict below,
                         ClaimVerdict above) {
  switch (position(measured, accepted)) {
    case Position::kBelow: return below;
    case Position::kAbove: return above;
    case Position::kInside: return ClaimVerdict::kConfirmed;
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
    case Position::kInside: return ClaimVerdict::kConfirmed;
    case Position::kAround: break;
  }
  return ClaimVerdict::kUndecided;
}

/// The verdict on "at most 1.1x": a gain that is not there does not confirm how large it can be.
ClaimVerdict judge_most(const ClaimedRange& claimed, const Interval& measured) {
  if (measured.high < 1) return ClaimVerdict::kNoGain;
  return judge_value(measured, {claimed.low, claimed.high}, ClaimVerdict::kSmaller,
                     ClaimVerdict::kLarger);
}

ClaimVerdict judge_speedup(const ClaimedRange& claimed, const Interval& measured) {
  const double tolerance = tolerance_of(claimed);
  const Interval accepted = accepted_ratios(claimed);
  const Interval equal{1 - tolerance, 1 + tolerance};
  if (claimed.low <= 0 && claimed.high > 1) return judge_most(claimed, measured);
  if (claimed.low >= 1 && claimed.high > 1) return judge_faster(measured, accepted, equal);
  if (claimed.high <= 1 && claimed.low < 1) {
    return judge_faster(inverse(measured), inverse(accepted), inverse(equal));
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
    case ClaimVerdict::kNoGain: return "no gain";
    case ClaimVerdict::kFaster: return "faster";
    case ClaimVerdict::kSlower: return "slower";
    case ClaimVerdict::kNotReproduced: return "not reproduced";
    case ClaimVerdict::kUndecided: return "undecided";
    case ClaimVerdict::kNotProfiled: return "not profiled";
    case ClaimVerdict::kEstimate: return "estimate";
    case ClaimVerdict::kNotComparable: return "not comparable";
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
      return judge_value(*measured_95, accepted_values(claimed), ClaimVerdict::kFaster,
                         ClaimVerdict::kSlower);
    case ClaimedKind::kOperationRate:
    case ClaimedKind::kByteRate:
    case ClaimedKind::kIntensity:
    case ClaimedKind::kShare:
    case ClaimedKind::kError:
    case ClaimedKind::kCount:
      return judge_value(*measured_95, accepted_values(claimed), ClaimVerdict::kSmaller,
                         ClaimVerdict::kLarger);
    case ClaimedKind::kNoNumber: break;
  }
  return ClaimVerdict::kNotTestable;
}

}  // namespace msda
