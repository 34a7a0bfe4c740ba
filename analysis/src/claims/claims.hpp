// What a run says to the claims of its experiment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/claim.hpp"
#include "statistics/table.hpp"

namespace msda {

enum class ClaimVerdict {
  kConfirmed,    ///< the interval meets the claim
  kSmaller,      ///< less of an effect in the claimed direction, or of the speed of light
  kLarger,       ///< more of it
  kOpposite,     ///< an effect in the other direction
  kNoEffect,     ///< equal, where a difference is claimed
  kFaster,       ///< than the claimed time, or than a claim of no difference
  kSlower,       ///< the same
  kUndecided,    ///< the interval allows several of these, or there is none
  kNotTestable,  ///< see CheckedClaim::reason
};

/// "confirmed", "smaller", ..., "not testable"
std::string_view name_of(ClaimVerdict verdict);

/// One claim on one problem.
struct CheckedClaim {
  Claim claim;
  std::string problem;  ///< "" when no problem has what the claim asks for
  TimingMode mode = TimingMode::kWarm;
  std::optional<double> measured;  ///< in the claim's quantity
  std::optional<Interval> interval_95;
  Replication replication = Replication::kNone;  ///< what the interval is over
  int replicates = 0;
  ClaimVerdict verdict = ClaimVerdict::kNotTestable;
  std::string reason;  ///< why it is not testable
};

/// The verdict on a claimed number, whose range is widened by kEquivalence to both sides.
/// Confirmed: the interval meets the range. Otherwise it lies below or above. A claimed speedup has
/// a direction, unless its range has 1 inside: an effect is then smaller, larger, none (inside 1 +-
/// kEquivalence) or opposite (wholly beyond that on the other side). Undecided: the interval
/// reaches past both ends of the range, or from it to no effect, or lies below it on both sides of
/// 1, or there is none.
ClaimVerdict judge(Claim::Quantity quantity, const ClaimedRange& claimed,
                   const std::optional<Interval>& measured_95);

/// The claims of a manifest, each on every problem that it speaks of, in the tables' order. Throws
/// UsageError for a claim that is malformed.
std::vector<CheckedClaim> check_claims(const nlohmann::json& manifest,
                                       const std::vector<Table>& tables);

}  // namespace msda
