#include "runner/tune/searched.hpp"

#include <algorithm>
#include <cmath>

#include "runner/tune/pooled.hpp"
#include "tuning/confirmation.hpp"

namespace msda {

SearchEntry search_entry(const std::string& baseline, const Candidates& candidates,
                         const SearchEnd& end) {
  const SpaceCount& count = candidates.count();
  SearchEntry entry;
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

std::optional<Winner> winner_of(const SearchEntry& searched,
                                const std::vector<ProblemSpec>& problems,
                                const std::vector<Arm>& arms,
                                const std::vector<std::vector<Record>>& records,
                                const FoundBy& found_by) {
  Winner winner;
  winner.device = found_by.device;
  winner.problem = problems.front();
  winner.others.assign(problems.begin() + 1, problems.end());
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
  const std::vector<Record> all = pooled(records);
  std::vector<Confirmation> confirmations = confirm(all);
  if (problems.size() > 1) {
    std::erase_if(confirmations, [&](const Confirmation& one) {
      return worst_of(one.arm, records) < 1 / (1 + found_by.worst);
    });
  }
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
  const auto record = std::find_if(all.begin(), all.end(), [&](const Record& one) {
    return one.arm == name && one.status == CellStatus::kOk;
  });
  if (record == all.end()) return std::nullopt;
  winner.worst = worst_of(name, records);
  winner.seconds = median_seconds(record->samples).value_or(0);
  return winner;
}

}  // namespace msda
