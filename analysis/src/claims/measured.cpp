#include "claims/measured.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace msda {
namespace {

using Quantity = Claim::Quantity;

/// The log of a quantity of an arm, or why there is none.
struct Measurement {
  std::optional<LogEstimate> log;
  std::string reason{};
  std::string over{};  ///< of a speedup over one of several arms
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
  if (!missing.empty()) return fmt::format("{} has no effect: {}", arm, fmt::join(missing, "; "));
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
  return {estimate};
}

Measurement time_of(const Table& table, const Row& row) {
  const auto estimate = estimate_log_time(row.record.samples, table.planned);
  if (!estimate) return {{}, fmt::format("{} has no block with a time", row.record.arm)};
  return {estimate};
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
  return {estimate};
}

/// Of a quantity of one arm alone.
Measurement measure_alone(Quantity quantity, const Table& table, const Row& row) {
  const Record& record = row.record;
  const auto flops = static_cast<double>(record.traffic.flops);
  const auto bytes = static_cast<double>(record.traffic.once());
  const ClaimedKind kind = describe(quantity).kind;
  const bool counts_flops = kind == ClaimedKind::kOperationRate || kind == ClaimedKind::kIntensity;
  if (counts_flops && record.traffic.flops <= 0) {
    return {{}, fmt::format("{} does no operations that are counted", record.arm)};
  }
  switch (quantity) {
    case Quantity::kTime: return time_of(table, row);
    case Quantity::kThroughput: return rate(flops, table, row);
    case Quantity::kBandwidth: return rate(bytes, table, row);
    case Quantity::kIntensity: return exact(flops / bytes);
    case Quantity::kError: return exact(record.worst_output().relative_l2);
    case Quantity::kSpeedOfLight:
      if (!row.speed_of_light) return {{}, "the ceilings of the device are not known"};
      return rate(*row.speed_of_light * row.median_seconds, table, row);
    case Quantity::kSpeedup:
    case Quantity::kCounter:
    case Quantity::kOutcome:
    case Quantity::kNotTestable: break;
  }
  return {{}, "a run does not measure it"};
}

/// One for each comparison.
std::vector<Measurement> measure(Quantity quantity, const Table& table, const std::string& arm,
                                 const std::vector<std::string>& over) {
  const Row* const row = find_row(table, arm);
  if (std::string reason = why_without_time(quantity, row, arm); !reason.empty()) {
    return {{{}, std::move(reason)}};
  }
  if (quantity != Quantity::kSpeedup) return {measure_alone(quantity, table, *row)};
  if (over.size() < 2) return {speedup(table, *row, over.empty() ? "" : over.front())};
  std::vector<Measurement> all;
  for (const std::string& other : over) {
    all.push_back(speedup(table, *row, other));
    all.back().over = other;
  }
  return all;
}

/// `comparisons` is the number of intervals that have to hold at once.
MeasuredNumber number_of(const Measurement& measured, std::size_t comparisons) {
  const LogEstimate& log = *measured.log;
  return {std::exp(log.value), joint_interval_95(log, comparisons), log.replication, log.replicates,
          measured.over};
}

/// The least, or the largest, of numbers whose intervals hold at once. `numbers` is not empty.
MeasuredNumber extreme(const std::vector<MeasuredNumber>& numbers, bool least) {
  const auto outer = [least](double a, double b) {
    return least ? std::min(a, b) : std::max(a, b);
  };
  MeasuredNumber result = numbers.front();
  for (const MeasuredNumber& number : numbers) {
    if (outer(result.value, number.value) != result.value) {
      result.value = number.value;
      result.over = number.over;
    }
    result.replication = std::min(result.replication, number.replication);
    result.replicates = std::min(result.replicates, number.replicates);
    if (!number.interval_95 || !result.interval_95) {
      result.interval_95.reset();
      continue;
    }
    result.interval_95 = Interval{outer(result.interval_95->low, number.interval_95->low),
                                  outer(result.interval_95->high, number.interval_95->high)};
  }
  return result;
}

bool is_best_least(Quantity quantity) {
  const ClaimedKind kind = describe(quantity).kind;
  return kind == ClaimedKind::kSeconds || kind == ClaimedKind::kError;
}

/// "hf-fp16 (skipped)" of those arms that cannot be compared with.
std::vector<std::string> absent_among(const Table& table, const std::vector<std::string>& arms) {
  std::vector<std::string> absent;
  for (const std::string& arm : arms) {
    const Row* const row = find_row(table, arm);
    if (why_without_time(Quantity::kSpeedup, row, arm).empty()) continue;
    std::string standing = row == nullptr ? "not run" : row->verdict;
    if (row != nullptr && row->timed()) standing = "no effect";
    absent.push_back(fmt::format("{} ({})", arm, standing));
  }
  return absent;
}

}  // namespace

MeasuredClaim measure_claim(Quantity quantity, const Table& table,
                            const std::vector<std::string>& arms,
                            const std::vector<std::string>& over) {
  MeasuredClaim claim;
  std::vector<std::vector<Measurement>> measured;
  std::size_t comparisons = 0;
  for (const std::string& arm : arms) {
    std::vector<Measurement> all = measure(quantity, table, arm, over);
    std::string reason = all.front().reason;
    if (all.size() > 1) reason = fmt::format("no arm is there to compare {} with", arm);
    std::erase_if(all, [](const Measurement& one) { return !one.log; });
    comparisons += all.size();
    if (all.empty()) {
      claim.without.push_back(std::move(reason));
    } else {
      measured.push_back(std::move(all));
    }
  }
  if (over.size() > 1) claim.absent = absent_among(table, over);
  std::vector<MeasuredNumber> of_arms;
  for (const std::vector<Measurement>& all : measured) {
    std::vector<MeasuredNumber> numbers;
    numbers.reserve(all.size());
    for (const Measurement& one : all) numbers.push_back(number_of(one, comparisons));
    of_arms.push_back(extreme(numbers, true));  // the fastest of `over` leaves the least speedup
  }
  if (!of_arms.empty()) claim.best = extreme(of_arms, is_best_least(quantity));
  return claim;
}

}  // namespace msda
