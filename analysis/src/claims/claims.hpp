// What a run says to the claims of its experiment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/counter_tables.hpp"
#include "results/manifest.hpp"
#include "statistics/table.hpp"

namespace msda {

enum class ClaimVerdict {
  kConfirmed,      ///< the interval lies inside the claim, or the arm ends as is claimed
  kSmaller,        ///< less of an effect in the claimed direction, or of any other number
  kLarger,         ///< more of it
  kNotMet,         ///< less of an effect, or none, or an opposite one: which is open
  kOpposite,       ///< an effect in the other direction
  kNoEffect,       ///< equal, where a difference is claimed
  kNoGain,         ///< slower, where a gain is claimed to be at most so large
  kFaster,         ///< than the claimed time, or than a claim of no difference
  kSlower,         ///< the same
  kNotReproduced,  ///< the arm does not end as is claimed
  kUndecided,      ///< the interval allows the claim and something else, or there is none
  kNotProfiled,    ///< no profiler has counted what it is about
  kEstimate,       ///< nobody measured the figure: its remark says where what is measured lies
  kNotComparable,  ///< the claim is of a program that computes something else: see its reason
  kNotTestable,    ///< see CheckedClaim::reason
};

/// "confirmed", "smaller", ..., "not testable"
std::string_view name_of(ClaimVerdict verdict);

/// One claim on one problem.
struct CheckedClaim {
  Claim claim;
  std::string problem;  ///< "" when no problem has what the claim asks for
  TimingMode mode = kUsualMode;
  std::optional<double> measured;  ///< in the claim's quantity; a speedup where `as_ratio`
  std::optional<Interval> interval_95;
  Replication replication = Replication::kNone;  ///< what the interval is over
  int replicates = 0;
  ClaimVerdict verdict = ClaimVerdict::kNotTestable;
  std::string reason;  ///< why it is an estimate, or not testable, comparable, ...
  /// The claimed ratio to `against`, where the figure is one of another GPU.
  std::optional<ClaimedRange> as_ratio;
  std::string over;  ///< of several arms that it is compared with the fastest; "" mostly
  /// Of a speedup of one arm: relative L2 error of the arm, and of what it is held against.
  std::optional<double> error{};
  double error_bound = 0;  ///< of `error`
  std::optional<double> over_error{};
  std::string remark;  ///< what to know of the comparison: "measured on ..."; "" mostly
};

/// The verdict on a claimed number. A range is widened to both sides by kEquivalence, that of a
/// speedup by a fifth of its effect where that is less; the end of *at most* and *at least* is not.
/// Confirmed: the interval lies inside. Otherwise all of it lies below or above: a claimed speedup
/// has a direction, unless its range has 1 inside, so that an effect is smaller, larger, none
/// (inside 1 +- the tolerance) or opposite (wholly beyond that on the other side); where it is less
/// and the interval allows several of these it is not met. Undecided: the interval reaches past an
/// end of the range, or there is none.
ClaimVerdict judge(Claim::Quantity quantity, const ClaimedRange& claimed,
                   const std::optional<Interval>& measured_95);

/// The claims of a manifest, each on every problem that it speaks of, in the tables' order. Throws
/// UsageError for a claim that is malformed.
std::vector<CheckedClaim> check_claims(const Manifest& manifest, const std::vector<Table>& tables,
                                       const std::vector<CounterTable>& counters = {});

/// A claim on a counter on every problem that the run has times or counters of.
std::vector<CheckedClaim> check_counter_claim(const Claim& claim, const std::vector<Table>& tables,
                                              const std::vector<CounterTable>& counters);

}  // namespace msda
