// What a run says to the claims of its experiment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/claim.hpp"
#include "statistics.hpp"

namespace msda {

struct Table;

enum class ClaimVerdict {
  kConfirmed,    ///< the claimed range, widened by the equivalence threshold, holds the measured
                 ///< value
  kSmaller,      ///< less of an effect in the claimed direction, or of the speed of light
  kLarger,       ///< more of it
  kOpposite,     ///< an effect in the other direction
  kNoEffect,     ///< equal, where a difference is claimed
  kFaster,       ///< than the claimed time
  kSlower,       ///< than the claimed time
  kUndecided,    ///< the interval holds several of these
  kNotTestable,  ///< see CheckedClaim::reason
};

/// "confirmed", "smaller", ..., "not testable"
std::string_view name_of(ClaimVerdict verdict);

/// One claim on one problem.
struct CheckedClaim {
  Claim claim;
  std::string problem;  ///< "" when no problem has what the claim asks for
  TimingMode mode = TimingMode::kWarm;
  std::optional<double> measured;       ///< in the claim's quantity
  std::optional<Interval> interval_95;  ///< of a speedup
  ClaimVerdict verdict = ClaimVerdict::kNotTestable;
  std::string reason;  ///< why it is not testable
};

/// The verdict on a claimed speedup. Ratios are times: claimed and measured above 1 are faster. Let
/// the claim be its range widened by kEquivalence to both sides. It is confirmed when it holds the
/// estimate; undecided when only a part of the interval lies in it, or there is no interval.
/// Otherwise the interval lies outside: opposite when it is wholly on the other side of 1 +-
/// kEquivalence than the claim, no effect when it is inside 1 +- kEquivalence, else smaller or
/// larger by the distance from 1.
ClaimVerdict judge_speedup(const ClaimedRange& claimed, const RatioEstimate& measured);

/// The claims of a manifest, each on every problem that it speaks of, in the tables' order. Throws
/// UsageError for a claim that is malformed.
std::vector<CheckedClaim> check_claims(const nlohmann::json& manifest,
                                       const std::vector<Table>& tables);

}  // namespace msda
