#include "runner/tune/scoreboard.hpp"

#include <algorithm>

namespace msda {

std::string_view name_of(Stage stage) {
  switch (stage) {
    case Stage::kKnown: return "known arms";
    case Stage::kEnumerate: return "enumerate";
    case Stage::kScreen: return "screen";
    case Stage::kRefine: return "refine";
    case Stage::kHalve: break;
  }
  return "halve";
}

void Scoreboard::add(const Outcome& outcome) {
  Score& score = scores_[outcome.candidate];
  if (!outcome.failure.empty()) score.failure = outcome.failure;
  for (const double log : outcome.logs) score.sum += log;
  score.blocks += static_cast<int>(outcome.logs.size());
}

std::size_t Scoreboard::timed() const {
  return static_cast<std::size_t>(std::count_if(
      scores_.begin(), scores_.end(),
      [](const auto& entry) { return !entry.second.failed() && entry.second.blocks > 0; }));
}

std::vector<std::uint64_t> Scoreboard::leaders(std::size_t count) const {
  std::vector<std::pair<double, std::uint64_t>> order;
  for (const auto& [candidate, score] : scores_) {
    if (!score.failed() && score.blocks > 0) order.emplace_back(score.log_time(), candidate);
  }
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end());
  std::vector<std::uint64_t> leaders;
  for (std::size_t i = 0; i < count; ++i) leaders.push_back(order[i].second);
  return leaders;
}

}  // namespace msda
