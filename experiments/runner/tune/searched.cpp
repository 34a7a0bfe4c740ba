#include "runner/tune/searched.hpp"

#include <algorithm>
#include <cmath>

#include "runner/protocol/protocol.hpp"
#include "tuning/confirmation.hpp"

namespace msda {

using nlohmann::json;

json searched_json(const std::string& problem, TimingMode mode, const std::string& baseline,
                   const Candidates& candidates, const SearchEnd& end) {
  const SpaceCount& count = candidates.count();
  json removed = json::array();
  for (const ReasonCounts::Entry& one : count.removed) {
    removed.push_back({{"reason", one.reason}, {"points", one.count}});
  }
  json finalists = json::array();
  for (std::size_t i = 0; i < end.finalists.size(); ++i) {
    json arm = to_json(candidates.arm(end.finalists[i]));
    arm["number"] = end.finalists[i];
    arm["searched_gain"] = std::exp(-end.log_times[i]);
    finalists.push_back(std::move(arm));
  }
  return {{"problem", problem},
          {"mode", name_of(mode)},
          {"baseline", baseline},
          {"points", count.points},
          {"looked_at", count.looked_at},
          {"left", count.left},
          {"removed", std::move(removed)},
          {"measured", end.measured},
          {"failed", end.failed},
          {"whole", end.whole},
          {"out_of_time", end.out_of_time},
          {"finalists", std::move(finalists)}};
}

std::optional<Winner> winner_of(const json& searched, const ProblemSpec& problem,
                                const std::vector<Arm>& arms, const std::vector<Record>& records,
                                const FoundBy& found_by) {
  Winner winner;
  winner.device = found_by.device;
  winner.problem = problem;
  winner.mode = parse_timing_mode(searched.at("mode").get<std::string>());
  winner.error = found_by.error;
  winner.baseline = searched.at("baseline");
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
    for (const json& finalist : searched.at("finalists")) {
      if (finalist.at("name") != name) continue;
      winner.uses = arm_from_json(finalist).uses;
      winner.searched_gain = finalist.at("searched_gain");
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
