#include "runner/tune/searched.hpp"

#include <algorithm>
#include <cmath>

#include "tuning/confirmation.hpp"

namespace msda {

SearchEntry search_entry(const std::string& problem, TimingMode mode, const std::string& baseline,
                         const Candidates& candidates, const SearchEnd& end) {
  const SpaceCount& count = candidates.count();
  SearchEntry entry;
  entry.problem = problem;
  entry.mode = mode;
  entry.baseline = baseline;
  entry.points = count.points;
  entry.looked_at = count.looked_at;
  entry.left = count.left;
  for (const ReasonCounts::Entry& one : count.removed) {
    entry.removed.push_back({one.reason, one.count});
  }
  entry.measured = end.measured;
  entry.failed = end.failed;
  entry.whole = end.whole;
  entry.out_of_time = end.out_of_time;
  for (std::size_t i = 0; i < end.finalists.size(); ++i) {
    entry.finalists.push_back(
        {candidates.arm(end.finalists[i]), end.finalists[i], std::exp(-end.log_times[i])});
  }
  return entry;
}

std::optional<Winner> winner_of(const SearchEntry& searched, const ProblemSpec& problem,
                                const std::vector<Arm>& arms, const std::vector<Record>& records,
                                const FoundBy& found_by) {
  Winner winner;
  winner.device = found_by.device;
  winner.problem = problem;
  winner.mode = searched.mode;
  winner.error = found_by.error;
  winner.baseline = searched.baseline;
  winner.date = found_by.date;
  winner.command = found_by.command;
  winner.program = found_by.program;
  std::string name = winner.baseline;
  const auto baseline =
      std::find_if(arms.begin(), arms.end(), [&](const Arm& arm) { return arm.name == name; });
  if (baseline != arms.end()) winner.uses = baseline->uses;
  const std::vector<Confirmation> confirmations = confirm(records);
  if (const Confirmation* best = confirmed_winner(confirmations)) {
    name = best->arm;
    const Interval bounds = best->gain_95.value_or(Interval{*best->gain, *best->gain});
    winner.gain = *best->gain;
    winner.gain_low = bounds.low;
    winner.gain_high = bounds.high;
    for (const FinalistEntry& finalist : searched.finalists) {
      if (finalist.name != name) continue;
      winner.uses = finalist.uses;
      winner.searched_gain = finalist.searched_gain;
    }
  }
  const auto record = std::find_if(records.begin(), records.end(), [&](const Record& one) {
    return one.arm == name && one.status == CellStatus::kOk;
  });
  if (record == records.end()) return std::nullopt;
  winner.seconds = median_seconds(record->samples).value_or(0);
  return winner;
}

}  // namespace msda
