#include "claims/claims.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace msda {
namespace {

using Quantity = Claim::Quantity;

constexpr Interval kEqual{1 - kEquivalence, 1 + kEquivalence};

Interval widened(const ClaimedRange& range) {
  return {range.low / (1 + kEquivalence), range.high * (1 + kEquivalence)};
}

/// The interval of 1 / value.
Interval inverse(const Interval& interval) { return {1 / interval.high, 1 / interval.low}; }

/// Where an interval lies with regard to the accepted values.
enum class Position { kBelow, kAbove, kMeets, kAround };

Position position(const Interval& measured, const Interval& accepted) {
  if (measured.high < accepted.low) return Position::kBelow;
  if (measured.low > accepted.high) return Position::kAbove;
  if (measured.low < accepted.low && measured.high > accepted.high) return Position::kAround;
  return Position::kMeets;
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
  return measured.low >= equal.low ? ClaimVerdict::kSmaller : ClaimVerdict::kUndecided;
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

/// Why the arm has no time in the table; "" when it has one.
std::string why_without_time(const Row* row, const std::string& arm) {
  if (row == nullptr) return fmt::format("{} was not run", arm);
  if (row->timed()) return "";
  return row->record.reason.empty()
             ? fmt::format("{} is {}", arm, row->verdict)
             : fmt::format("{} is {}: {}", arm, row->verdict, row->record.reason);
}

/// The measured value with the interval of its estimate, and the verdict.
template <class Estimate>
void take(CheckedClaim& checked, double value, const Estimate& estimate) {
  checked.measured = value;
  checked.interval_95 = estimate.interval_95;
  checked.replication = estimate.replication;
  checked.replicates = estimate.replicates;
  checked.verdict = judge(checked.claim.quantity, checked.claim.range, estimate.interval_95);
}

void check_speedup(const Table& table, const Row& row, CheckedClaim& checked) {
  const Row* over = checked.claim.over.empty()
                        ? (table.rows.front().record.baseline ? &table.rows.front() : nullptr)
                        : find_row(table, checked.claim.over);
  const std::string name = checked.claim.over.empty() ? "the baseline" : checked.claim.over;
  checked.reason = why_without_time(over, name);
  if (!checked.reason.empty()) return;
  if (over == &row) {
    checked.reason = fmt::format("{} is the baseline itself", checked.claim.arm);
    return;
  }
  const auto estimate = estimate_ratio(over->record.samples, row.record.samples);
  if (!estimate) {
    checked.reason = fmt::format("{} and {} have no block in common", checked.claim.arm, name);
    return;
  }
  take(checked, estimate->ratio, *estimate);
}

void check_time(const Row& row, CheckedClaim& checked) {
  const auto estimate = estimate_time(row.record.samples);
  if (!estimate) {
    checked.reason = fmt::format("{} has no block with a time", checked.claim.arm);
    return;
  }
  take(checked, estimate->seconds, *estimate);
}

/// The least time that the ceilings allow over the time and its interval.
void check_speed_of_light(const Row& row, CheckedClaim& checked) {
  auto estimate = estimate_time(row.record.samples);
  if (!row.speed_of_light || !estimate) {
    checked.reason = "the ceilings of the device are not known";
    return;
  }
  const double least_seconds = *row.speed_of_light * row.median_seconds;
  if (auto& seconds = estimate->interval_95) {
    seconds = Interval{least_seconds / seconds->high, least_seconds / seconds->low};
  }
  take(checked, least_seconds / estimate->seconds, *estimate);
}

CheckedClaim check_claim(const Claim& claim, const Table& table) {
  CheckedClaim checked;
  checked.claim = claim;
  checked.problem = table.problem;
  checked.mode = table.mode;
  const Row* row = find_row(table, claim.arm);
  checked.reason = why_without_time(row, claim.arm);
  if (!checked.reason.empty()) return checked;
  switch (claim.quantity) {
    case Quantity::kSpeedup: check_speedup(table, *row, checked); break;
    case Quantity::kTime: check_time(*row, checked); break;
    case Quantity::kSpeedOfLight: check_speed_of_light(*row, checked); break;
    case Quantity::kNotTestable: break;
  }
  return checked;
}

/// The mode in which a claim is checked on a problem; nullopt when it was not measured.
std::optional<TimingMode> mode_of(const Claim& claim, const std::vector<Table>& tables,
                                  const std::string& problem) {
  std::optional<TimingMode> first;
  for (const Table& table : tables) {
    if (table.problem != problem) continue;
    if (table.mode == claim.mode.value_or(TimingMode::kWarm)) return table.mode;
    if (!first) first = table.mode;
  }
  return claim.mode ? std::nullopt : first;
}

CheckedClaim untested(const Claim& claim, std::string reason) {
  CheckedClaim checked;
  checked.claim = claim;
  checked.problem = claim.problem;
  checked.mode = claim.mode.value_or(TimingMode::kWarm);
  checked.reason = std::move(reason);
  return checked;
}

void check_on_problems(const Claim& claim, const std::vector<Table>& tables,
                       std::vector<CheckedClaim>& checked) {
  if (claim.quantity == Quantity::kNotTestable) {
    checked.push_back(untested(claim, claim.value));
    return;
  }
  if (!claim.left_out.empty()) {
    checked.push_back(untested(claim, claim.left_out));
    return;
  }
  const std::size_t before = checked.size();
  for (const Table& table : tables) {
    if (!claim.problem.empty() && claim.problem != table.problem) continue;
    if (mode_of(claim, tables, table.problem) == table.mode) {
      checked.push_back(check_claim(claim, table));
    }
  }
  if (checked.size() == before) {
    checked.push_back(untested(claim, "no problem was measured as the claim asks"));
  }
}

}  // namespace

std::string_view name_of(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kConfirmed: return "confirmed";
    case ClaimVerdict::kSmaller: return "smaller";
    case ClaimVerdict::kLarger: return "larger";
    case ClaimVerdict::kOpposite: return "opposite";
    case ClaimVerdict::kNoEffect: return "no effect";
    case ClaimVerdict::kFaster: return "faster";
    case ClaimVerdict::kSlower: return "slower";
    case ClaimVerdict::kUndecided: return "undecided";
    case ClaimVerdict::kNotTestable: break;
  }
  return "not testable";
}

ClaimVerdict judge(Claim::Quantity quantity, const ClaimedRange& claimed,
                   const std::optional<Interval>& measured_95) {
  if (!measured_95) return ClaimVerdict::kUndecided;
  switch (quantity) {
    case Quantity::kSpeedup: return judge_speedup(claimed, *measured_95);
    case Quantity::kTime:
      return judge_value(*measured_95, widened(claimed), ClaimVerdict::kFaster,
                         ClaimVerdict::kSlower);
    case Quantity::kSpeedOfLight:
      return judge_value(*measured_95, widened(claimed), ClaimVerdict::kSmaller,
                         ClaimVerdict::kLarger);
    case Quantity::kNotTestable: break;
  }
  return ClaimVerdict::kNotTestable;
}

std::vector<CheckedClaim> check_claims(const nlohmann::json& manifest,
                                       const std::vector<Table>& tables) {
  std::vector<CheckedClaim> checked;
  const auto claims = manifest.find("claims");
  if (claims == manifest.end() || !claims->is_array()) return checked;
  for (const nlohmann::json& claim : *claims) {
    check_on_problems(claim_from_json(claim), tables, checked);
  }
  return checked;
}

}  // namespace msda
