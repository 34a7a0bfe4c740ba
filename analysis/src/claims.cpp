#include "claims.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report.hpp"

namespace msda {
namespace {

using Quantity = Claim::Quantity;

ClaimedRange widened(const ClaimedRange& range) {
  return {range.low / (1 + kEquivalence), range.high * (1 + kEquivalence)};
}

bool holds(const ClaimedRange& range, double value) {
  return value >= range.low && value <= range.high;
}

/// The measured value of a claim about a time or a share, against its range.
ClaimVerdict judge_value(const ClaimedRange& claimed, double measured, ClaimVerdict below,
                         ClaimVerdict above) {
  const ClaimedRange wide = widened(claimed);
  if (holds(wide, measured)) return ClaimVerdict::kConfirmed;
  return measured < wide.low ? below : above;
}

const Row* row_of(const Table& table, const std::string& arm) {
  const auto found = std::find_if(table.rows.begin(), table.rows.end(),
                                  [&](const Row& row) { return row.record.arm == arm; });
  return found == table.rows.end() ? nullptr : &*found;
}

/// Why the arm has no time in the table; "" when it has one.
std::string why_without_time(const Row* row, const std::string& arm) {
  if (row == nullptr) return fmt::format("{} was not run", arm);
  if (row->timed()) return "";
  return row->record.reason.empty()
             ? fmt::format("{} is {}", arm, row->verdict)
             : fmt::format("{} is {}: {}", arm, row->verdict, row->record.reason);
}

void check_speedup(const Table& table, const Row& row, CheckedClaim& checked) {
  const Row* over = checked.claim.over.empty()
                        ? (table.rows.front().record.baseline ? &table.rows.front() : nullptr)
                        : row_of(table, checked.claim.over);
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
  checked.measured = estimate->ratio;
  checked.interval_95 = estimate->interval_95;
  checked.verdict = judge_speedup(checked.claim.range, *estimate);
}

CheckedClaim check_claim(const Claim& claim, const Table& table) {
  CheckedClaim checked;
  checked.claim = claim;
  checked.problem = table.problem;
  checked.mode = table.mode;
  const Row* row = row_of(table, claim.arm);
  checked.reason = why_without_time(row, claim.arm);
  if (!checked.reason.empty()) return checked;
  switch (claim.quantity) {
    case Quantity::kSpeedup: check_speedup(table, *row, checked); break;
    case Quantity::kTime:
      checked.measured = row->median_seconds;
      checked.verdict = judge_value(claim.range, row->median_seconds, ClaimVerdict::kFaster,
                                    ClaimVerdict::kSlower);
      break;
    case Quantity::kSpeedOfLight:
      checked.measured = row->speed_of_light;
      if (!row->speed_of_light) {
        checked.reason = "the ceilings of the device are not known";
      } else {
        checked.verdict = judge_value(claim.range, *row->speed_of_light, ClaimVerdict::kSmaller,
                                      ClaimVerdict::kLarger);
      }
      break;
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

ClaimVerdict judge_speedup(const ClaimedRange& claimed, const RatioEstimate& measured) {
  const ClaimedRange wide = widened(claimed);
  if (!measured.interval_95) return ClaimVerdict::kUndecided;
  const auto [low, high] = *measured.interval_95;
  if (holds(wide, measured.ratio)) return ClaimVerdict::kConfirmed;
  if (high >= wide.low && low <= wide.high) return ClaimVerdict::kUndecided;
  const bool inside_equal = low >= 1 - kEquivalence && high <= 1 + kEquivalence;
  if (inside_equal) return ClaimVerdict::kNoEffect;
  const bool claims_faster = claimed.low >= 1;
  const bool claims_slower = claimed.high <= 1;
  if (claims_faster && high < 1) return ClaimVerdict::kOpposite;
  if (claims_slower && low > 1) return ClaimVerdict::kOpposite;
  const bool below = high < wide.low;
  return below == claims_slower ? ClaimVerdict::kLarger : ClaimVerdict::kSmaller;
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
