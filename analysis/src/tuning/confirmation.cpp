#include "tuning/confirmation.hpp"

#include <algorithm>

namespace msda {
namespace {

constexpr double kSignificance = 0.05;

std::string verdict_of(const Confirmation& finalist, const RatioEstimate& gain) {
  if (finalist.confirmed) return "confirmed";
  const Difference difference = classify(gain);
  const bool stands = difference == Difference::kEqual || difference == Difference::kSlower;
  return stands ? std::string(name_of(difference)) : "not confirmed";
}

}  // namespace

std::vector<Confirmation> confirm(const std::vector<Record>& records) {
  const auto baseline = std::ranges::find_if(records, [](const Record& record) {
    return record.baseline && record.status == CellStatus::kOk;
  });
  if (baseline == records.end()) return {};
  std::vector<Confirmation> finalists;
  std::vector<std::optional<LogEstimate>> gains;
  std::vector<double> p_values;
  for (const Record& record : records) {
    if (record.baseline || record.composition == baseline->composition) continue;
    finalists.push_back({record.arm, {}, {}, 1, false, std::string(name_of(record.status))});
    gains.emplace_back();
    if (record.status != CellStatus::kOk) continue;
    gains.back() = estimate_log_ratio(baseline->samples, record.samples);
    const bool has_interval = gains.back() && gains.back()->degrees_of_freedom > 0;
    p_values.push_back(has_interval ? p_inside(*gains.back(), {0, 0}) : 1);
  }
  const std::vector<double> corrected = holm(p_values);
  std::size_t timed = 0;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    Confirmation& finalist = finalists[i];
    if (finalist.verdict != name_of(CellStatus::kOk)) continue;
    finalist.p = corrected[timed++];
    if (!gains[i]) continue;
    const RatioEstimate gain = to_ratio(*gains[i]);
    finalist.gain = gain.ratio;
    finalist.gain_95 = gain.interval_95;
    finalist.confirmed = finalist.p <= kSignificance && gain.ratio > 1 + kEquivalence;
    finalist.verdict = verdict_of(finalist, gain);
  }
  std::ranges::stable_sort(finalists, [](const auto& a, const auto& b) {
    return a.gain.value_or(0) > b.gain.value_or(0);
  });
  return finalists;
}

const Confirmation* confirmed_winner(const std::vector<Confirmation>& confirmations) {
  const auto winner =
      std::ranges::find_if(confirmations, [](const Confirmation& one) { return one.confirmed; });
  return winner == confirmations.end() ? nullptr : &*winner;
}

}  // namespace msda
