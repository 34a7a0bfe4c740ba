#include "claims/claims.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace msda {
namespace {

using Quantity = Claim::Quantity;

/// The log of a quantity of an arm, or why there is none.
struct Measurement {
  std::optional<LogEstimate> log;
  std::string reason;
};

/// What a claim on the quantity cannot do without: two arms may share what shows in none, a figure
/// of one arm may not.
const std::vector<std::string>& missing_for(Quantity quantity, const Row& row) {
  return quantity == Quantity::kSpeedup || !row.record.evidence ? row.missing
                                                                : row.record.evidence->missing;
}

/// Why the arm has no time in the table; "" when it has one.
std::string why_without_time(Quantity quantity, const Row* row, const std::string& arm) {
  if (row == nullptr) return fmt::format("{} was not run", arm);
  const std::vector<std::string>& missing = missing_for(quantity, *row);
  if (!missing.empty()) return fmt::format("{} is vacuous: {}", arm, fmt::join(missing, "; "));
  if (row->timed()) return "";
  return row->record.reason.empty()
             ? fmt::format("{} is {}", arm, row->verdict)
             : fmt::format("{} is {}: {}", arm, row->verdict, row->record.reason);
}

/// A number that has no spread.
Measurement exact(double value) {
  LogEstimate estimate;
  estimate.value = std::log(value);
  estimate.degrees_of_freedom = 1;
  return {estimate, ""};
}

Measurement time_of(const Table& table, const Row& row) {
  const auto estimate = estimate_log_time(row.record.samples, table.planned);
  if (!estimate) return {{}, fmt::format("{} has no block with a time", row.record.arm)};
  return {estimate, ""};
}

/// `amount` over the time of a launch.
Measurement rate(double amount, const Table& table, const Row& row) {
  Measurement measured = time_of(table, row);
  if (measured.log) measured.log->value = std::log(amount) - measured.log->value;
  return measured;
}

/// Over the baseline when `over` is "".
Measurement speedup(const Table& table, const Row& row, const std::string& over) {
  const Row* const base = over.empty() ? baseline_row(table) : find_row(table, over);
  const std::string name = over.empty() ? "the baseline" : over;
  const std::string reason = why_without_time(Quantity::kSpeedup, base, name);
  if (!reason.empty()) return {{}, reason};
  const std::string& arm = row.record.arm;
  if (base == &row) return {{}, fmt::format("{} is the baseline itself", arm)};
  const auto estimate = estimate_log_ratio(base->record.samples, row.record.samples, table.planned);
  if (!estimate) return {{}, fmt::format("{} and {} have no block in common", arm, name)};
  return {estimate, ""};
}

Measurement measure(Quantity quantity, const Table& table, const Row& row,
                    const std::string& over) {
  const Record& record = row.record;
  const auto flops = static_cast<double>(record.flops);
  const auto bytes = static_cast<double>(record.minimum_dram_bytes);
  const bool counts_flops = quantity == Quantity::kThroughput || quantity == Quantity::kIntensity;
  if (counts_flops && record.flops <= 0) {
    return {{}, fmt::format("{} does no operations that are counted", record.arm)};
  }
  switch (quantity) {
    case Quantity::kSpeedup: return speedup(table, row, over);
    case Quantity::kTime: return time_of(table, row);
    case Quantity::kThroughput: return rate(flops, table, row);
    case Quantity::kBandwidth: return rate(bytes, table, row);
    case Quantity::kIntensity: return exact(flops / bytes);
    case Quantity::kError: return exact(record.relative_l2);
    case Quantity::kSpeedOfLight:
      if (!row.speed_of_light) return {{}, "the ceilings of the device are not known"};
      return rate(*row.speed_of_light * row.median_seconds, table, row);
    case Quantity::kCounter:
    case Quantity::kOutcome:
    case Quantity::kNotTestable: break;
  }
  return {{}, "a run does not measure it"};
}

bool is_best_least(Quantity quantity) {
  return quantity == Quantity::kTime || quantity == Quantity::kError;
}

/// The best of what several arms measured. Each interval is widened for their number (Bonferroni),
/// so that all hold at once; then the best of the truths lies between the best of the lower and the
/// best of the upper bounds, whichever arm it is.
void take_best(const std::vector<LogEstimate>& logs, Quantity quantity, CheckedClaim& checked) {
  const auto better = [least = is_best_least(quantity)](double a, double b) {
    return least ? std::min(a, b) : std::max(a, b);
  };
  checked.replication = logs.front().replication;
  checked.replicates = logs.front().replicates;
  checked.measured = std::exp(logs.front().value);
  checked.interval_95 = joint_interval_95(logs.front(), logs.size());
  for (const LogEstimate& log : logs) {
    checked.measured = better(*checked.measured, std::exp(log.value));
    checked.replication = std::min(checked.replication, log.replication);
    checked.replicates = std::min(checked.replicates, log.replicates);
    const auto interval = joint_interval_95(log, logs.size());
    if (!interval || !checked.interval_95) {
      checked.interval_95.reset();
      continue;
    }
    checked.interval_95 = Interval{better(checked.interval_95->low, interval->low),
                                   better(checked.interval_95->high, interval->high)};
  }
}

/// Puts the claimed number, `range` of `quantity`, against what the claim's arms measured.
void check_number(const Table& table, Quantity quantity, const std::string& over,
                  const ClaimedRange& range, CheckedClaim& checked) {
  std::vector<LogEstimate> logs;
  std::vector<std::string> without;
  for (const std::string& arm : checked.claim.arms) {
    const Row* const row = find_row(table, arm);
    Measurement measured{{}, why_without_time(quantity, row, arm)};
    if (measured.reason.empty()) measured = measure(quantity, table, *row, over);
    if (measured.log) {
      logs.push_back(*measured.log);
    } else {
      without.push_back(std::move(measured.reason));
    }
  }
  const std::string reasons = fmt::format("{}", fmt::join(without, "; "));
  if (logs.empty()) {
    checked.reason = reasons;
    return;
  }
  if (!without.empty()) checked.remark = "of the others: " + reasons;
  take_best(logs, quantity, checked);
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
  if (claim.quantity == Quantity::kTime) return {other.low / own.high, other.high / own.low};
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
  check_number(table, Quantity::kSpeedup, claim.against->arm, *checked.as_ratio, checked);
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

/// That the outputs of the claim's arms have the bits of the output of `over`.
void check_identity(const Table& table, CheckedClaim& checked) {
  const Claim& claim = checked.claim;
  const Row* const base = claim.over.empty() ? baseline_row(table) : find_row(table, claim.over);
  std::vector<std::string> unknown;
  std::vector<std::string> others;
  const auto hash_of = [&](const Row* row, const std::string& arm) -> std::string {
    if (row == nullptr) {
      unknown.push_back(fmt::format("{} was not run", arm));
    } else if (row->record.output_hash.empty()) {
      unknown.push_back(fmt::format("{} has no output that is right", arm));
    } else {
      return row->record.output_hash;
    }
    return "";
  };
  const std::string wanted = hash_of(base, claim.over.empty() ? "the baseline" : claim.over);
  for (const std::string& arm : claim.arms) {
    const std::string found = hash_of(find_row(table, arm), arm);
    if (!found.empty() && found != wanted) others.push_back(arm);
  }
  if (!unknown.empty()) {
    checked.reason = fmt::format("{}", fmt::join(unknown, "; "));
    return;
  }
  checked.verdict = others.empty() ? ClaimVerdict::kConfirmed : ClaimVerdict::kNotMet;
  if (!others.empty()) {
    checked.reason = fmt::format("of other bits, within the bounds of their rounding: {}",
                                 fmt::join(others, ", "));
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
  if (claim.quantity == Quantity::kCounter) {
    check_counters(claim, tables, counters, device, checked);
  } else {
    check_times(claim, tables, device, checked);
  }
  if (checked.size() == before) {
    checked.push_back(untested(claim, "no problem was measured as the claim asks"));
  }
}

/// The name of the run's device; "" where the manifest does not say.
std::string device_name(const nlohmann::json& manifest) {
  const auto device = manifest.find("device");
  if (device == manifest.end() || !device->is_object()) return "";
  const auto name = device->find("name");
  return name != device->end() && name->is_string() ? name->get<std::string>() : "";
}

}  // namespace

std::vector<CheckedClaim> check_claims(const nlohmann::json& manifest,
                                       const std::vector<Table>& tables,
                                       const std::vector<CounterTable>& counters) {
  std::vector<CheckedClaim> checked;
  const auto claims = manifest.find("claims");
  if (claims == manifest.end() || !claims->is_array()) return checked;
  const std::string device = device_name(manifest);
  for (const nlohmann::json& claim : *claims) {
    check_on_problems(claim_from_json(claim), tables, counters, device, checked);
  }
  return checked;
}

}  // namespace msda
