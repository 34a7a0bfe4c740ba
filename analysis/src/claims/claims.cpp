#include "claims/claims.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "claims/measured.hpp"

namespace msda {
namespace {

using Quantity = Claim::Quantity;

/// A time says little without the error that it is had at.
void note_errors(const Table& table, const std::vector<std::string>& over, CheckedClaim& checked) {
  if (checked.claim.arms.size() != 1) return;
  const std::string& other = over.size() == 1 ? over.front() : checked.over;
  const Row* const arm = find_row(table, checked.claim.arms.front());
  const Row* const base = other.empty() ? baseline_row(table) : find_row(table, other);
  if (arm != nullptr && arm->compared()) {
    checked.error = arm->record.worst_output().relative_l2;
    checked.error_bound = arm->record.worst_output().tolerance;
  }
  if (base != nullptr && base->compared()) {
    checked.over_error = base->record.worst_output().relative_l2;
  }
}

/// Puts the claimed number, `range` of `quantity`, against what the claim's arms measured.
void check_number(const Table& table, Quantity quantity, const std::vector<std::string>& over,
                  const ClaimedRange& range, CheckedClaim& checked) {
  const MeasuredClaim measured = measure_claim(quantity, table, checked.claim.arms, over);
  const std::string reasons = fmt::format("{}", fmt::join(measured.without, "; "));
  if (!measured.absent.empty()) {
    checked.remark = fmt::format("not compared: {}", fmt::join(measured.absent, ", "));
  }
  if (!measured.best) {
    checked.reason = reasons;
    return;
  }
  if (!reasons.empty()) {
    checked.remark = fmt::format("of the others: {}{}{}", reasons,
                                 checked.remark.empty() ? "" : "; ", checked.remark);
  }
  const MeasuredNumber& best = *measured.best;
  checked.measured = best.value;
  checked.interval_95 = best.interval_95;
  checked.replication = best.replication;
  checked.replicates = best.replicates;
  checked.over = best.over;
  if (describe(quantity).kind == ClaimedKind::kRatio) note_errors(table, over, checked);
  checked.verdict = judge(quantity, range, checked.interval_95);
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

/// True of a figure that its source measured on another device.
bool is_from_elsewhere(const Claim& claim, const std::string& device) {
  return !claim.measured_on.empty() && !contains_ignoring_case(device, claim.measured_on);
}

/// The ratio over `against` that two absolute figures come to.
ClaimedRange claimed_ratio(const Claim& claim) {
  const ClaimedRange& own = claim.range;
  const ClaimedRange& other = claim.against->range;
  if (describe(claim.quantity).kind == ClaimedKind::kSeconds) {
    return {other.low / own.high, other.high / own.low};
  }
  return {own.low / other.high, own.high / other.low};
}

/// A figure of another GPU: only its ratio to another figure of that GPU can hold here.
void check_as_ratio(const Table& table, CheckedClaim& checked) {
  const Claim& claim = checked.claim;
  if (!claim.against) {
    checked.reason = fmt::format("it was measured on {}, and the claim does not say against what",
                                 claim.measured_on);
    return;
  }
  checked.as_ratio = claimed_ratio(claim);
  check_number(table, Quantity::kSpeedup, {claim.against->arm}, *checked.as_ratio, checked);
  const std::string ratio =
      fmt::format("measured on {}, where {} had {}; compared as a ratio", claim.measured_on,
                  claim.against->arm, claim.against->value);
  checked.remark = checked.remark.empty() ? ratio : ratio + "; " + checked.remark;
}

/// "hung" where the claim says so; an arm that ends well does not reproduce it.
void check_outcome(const Table& table, CheckedClaim& checked) {
  const Claim& claim = checked.claim;
  const Row* const row = find_row(table, claim.arms.front());
  if (row == nullptr) {
    checked.reason = fmt::format("{} was not run", claim.arms.front());
    return;
  }
  const Record& record = row->record;
  if (record.status == CellStatus::kSkipped || record.status == CellStatus::kInterrupted) {
    checked.reason = fmt::format("{} is {}: {}", record.arm, name_of(record.status), record.reason);
    return;
  }
  if (name_of(record.status) == claim.value) {
    checked.verdict = ClaimVerdict::kConfirmed;
    return;
  }
  checked.verdict = ClaimVerdict::kNotReproduced;
  checked.reason =
      record.reason.empty()
          ? fmt::format("{} is {}", record.arm, name_of(record.status))
          : fmt::format("{} is {}: {}", record.arm, name_of(record.status), record.reason);
}

/// Whether two arms gave the same bits on each first input that both were right on; nullopt where
/// there is none.
std::optional<bool> same_bits(const Record& a, const Record& b) {
  std::optional<bool> same;
  for (const ProcessRun& one : a.processes) {
    for (const ProcessRun& other : b.processes) {
      const bool share_input = one.process == other.process && one.inputs == other.inputs;
      if (!share_input || one.output.empty() || other.output.empty()) continue;
      same = same.value_or(true) && one.output == other.output;
    }
  }
  return same;
}

/// That the outputs of the claim's arms have the bits of the output of `over`.
void check_identity(const Table& table, CheckedClaim& checked) {
  const Claim& claim = checked.claim;
  const std::string over = claim.over_text();
  const Row* const base = over.empty() ? baseline_row(table) : find_row(table, over);
  if (base == nullptr) {
    checked.reason = fmt::format("{} was not run", over.empty() ? "the baseline" : over);
    return;
  }
  std::vector<std::string> unknown;
  std::vector<std::string> others;
  for (const std::string& arm : claim.arms) {
    const Row* const row = find_row(table, arm);
    const auto same = row == nullptr ? std::nullopt : same_bits(base->record, row->record);
    if (row == nullptr) unknown.push_back(fmt::format("{} was not run", arm));
    if (row != nullptr && !same) {
      unknown.push_back(
          fmt::format("{} and {} were not both right in any process", base->record.arm, arm));
    }
    if (same && !*same) others.push_back(arm);
  }
  if (!others.empty()) {
    checked.verdict = ClaimVerdict::kNotMet;
    checked.reason = fmt::format("of other bits, within the bounds of their rounding: {}",
                                 fmt::join(others, ", "));
  } else if (!unknown.empty()) {
    checked.reason = fmt::format("{}", fmt::join(unknown, "; "));
  } else {
    checked.verdict = ClaimVerdict::kConfirmed;
  }
}

CheckedClaim check_claim(const Claim& claim, const Table& table, const std::string& device) {
  CheckedClaim checked;
  checked.claim = claim;
  checked.problem = table.problem;
  checked.mode = table.mode;
  if (claim.is_of_identity()) {
    check_identity(table, checked);
    return checked;
  }
  if (claim.quantity == Quantity::kOutcome) {
    check_outcome(table, checked);
    return checked;
  }
  const bool elsewhere = is_from_elsewhere(claim, device);
  if (elsewhere && describe(claim.quantity).is_absolute) {
    check_as_ratio(table, checked);
    return checked;
  }
  check_number(table, claim.quantity, claim.over, claim.range, checked);
  if (elsewhere && checked.remark.empty()) checked.remark = "measured on " + claim.measured_on;
  return checked;
}

/// The mode in which a claim is checked on a problem; nullopt when it was not measured.
std::optional<TimingMode> mode_of(const Claim& claim, const std::vector<Table>& tables,
                                  const std::string& problem) {
  std::optional<TimingMode> first;
  for (const Table& table : tables) {
    if (table.problem != problem) continue;
    if (table.mode == claim.mode.value_or(kUsualMode)) return table.mode;
    if (!first) first = table.mode;
  }
  return claim.mode ? std::nullopt : first;
}

CheckedClaim untested(const Claim& claim, std::string reason) {
  CheckedClaim checked;
  checked.claim = claim;
  checked.problem = claim.problem;
  checked.mode = claim.mode.value_or(kUsualMode);
  checked.reason = std::move(reason);
  return checked;
}

void check_times(const Claim& claim, const std::vector<Table>& tables, const std::string& device,
                 std::vector<CheckedClaim>& checked) {
  for (const Table& table : tables) {
    if (!claim.problem.empty() && claim.problem != table.problem) continue;
    if (mode_of(claim, tables, table.problem) == table.mode) {
      checked.push_back(check_claim(claim, table, device));
    }
  }
}

void check_counters(const Claim& claim, const std::vector<Table>& tables,
                    const std::vector<CounterTable>& counters, const std::string& device,
                    std::vector<CheckedClaim>& checked) {
  for (CheckedClaim& one : check_counter_claim(claim, tables, counters)) {
    if (is_from_elsewhere(claim, device)) {
      one.remark = fmt::format("measured on {}{}{}", claim.measured_on,
                               one.remark.empty() ? "" : "; ", one.remark);
    }
    checked.push_back(std::move(one));
  }
}

/// Beside a figure of something else, or one that nobody measured, stands what was measured here.
void mark_what_is_no_measurement(CheckedClaim& checked) {
  const Claim& claim = checked.claim;
  if (claim.not_comparable.empty() && claim.estimate.empty()) return;
  const bool is_estimate = claim.not_comparable.empty();
  checked.remark = checked.reason;
  if (is_estimate && checked.measured) {
    checked.remark = fmt::format("what is measured is: {}", name_of(checked.verdict));
  }
  checked.reason = is_estimate ? claim.estimate : claim.not_comparable;
  checked.verdict = is_estimate ? ClaimVerdict::kEstimate : ClaimVerdict::kNotComparable;
}

/// One for each problem that the claim speaks of; one in all where nothing can be compared.
void add_checks(const Claim& claim, const std::vector<Table>& tables,
                const std::vector<CounterTable>& counters, const std::string& device,
                std::vector<CheckedClaim>& checked) {
  const auto before = static_cast<std::ptrdiff_t>(checked.size());
  if (claim.quantity == Quantity::kCounter) {
    check_counters(claim, tables, counters, device, checked);
  } else {
    check_times(claim, tables, device, checked);
  }
  std::for_each(checked.begin() + before, checked.end(), mark_what_is_no_measurement);
  // Without a verdict one problem says as much as all.
  const auto first = checked.begin() + before;
  if (!claim.not_comparable.empty() && first != checked.end()) {
    checked.erase(first + 1, checked.end());
  }
}

void check_on_problems(const Claim& claim, const std::vector<Table>& tables,
                       const std::vector<CounterTable>& counters, const std::string& device,
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
  add_checks(claim, tables, counters, device, checked);
  if (checked.size() == before) {
    checked.push_back(untested(claim, "no problem was measured as the claim asks"));
  }
}

}  // namespace

std::vector<CheckedClaim> check_claims(const Manifest& manifest, const std::vector<Table>& tables,
                                       const std::vector<CounterTable>& counters) {
  std::vector<CheckedClaim> checked;
  const std::string device = manifest.device ? manifest.device->name : "";
  for (const Claim& claim : manifest.claims) {
    check_on_problems(claim, tables, counters, device, checked);
  }
  return checked;
}

}  // namespace msda
