#include "runner/tune/set_bench.hpp"

#include <algorithm>
#include <numeric>

namespace msda {
namespace {

/// The mean over the problems, block by block.
std::vector<double> mean_logs(const std::vector<Outcome>& of_problems) {
  std::size_t blocks = 0;
  for (const Outcome& one : of_problems) blocks = std::max(blocks, one.logs.size());
  std::vector<double> means(blocks);
  for (const Outcome& one : of_problems) {
    const double mean = std::accumulate(one.logs.begin(), one.logs.end(), 0.0) /
                        static_cast<double>(one.logs.size());
    for (std::size_t b = 0; b < blocks; ++b) {
      const double log = b < one.logs.size() ? one.logs[b] : mean;
      means[b] += log / static_cast<double>(of_problems.size());
    }
  }
  return means;
}

}  // namespace

std::vector<Outcome> SetBench::measure(const Trial& trial) {
  std::vector<std::vector<Outcome>> of_candidates(trial.candidates.size());
  for (const std::unique_ptr<Bench>& bench : benches_) {
    std::vector<Outcome> outcomes = bench->measure(trial);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      of_candidates[i].push_back(std::move(outcomes[i]));
    }
  }
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < trial.candidates.size(); ++i) {
    const std::vector<Outcome>& own = of_candidates[i];
    const auto failed =
        std::ranges::find_if(own, [](const Outcome& one) { return !one.failure.empty(); });
    if (failed != own.end()) {
      outcomes.push_back(*failed);
    } else {
      outcomes.push_back({trial.candidates[i], "", mean_logs(own)});
    }
  }
  return outcomes;
}

double SetBench::seconds() const {
  double most = 0;
  for (const std::unique_ptr<Bench>& bench : benches_) most = std::max(most, bench->seconds());
  return most;
}

}  // namespace msda
