// Claims on hardware counters, which a profiler adds to a run or leaves alone.
#include <algorithm>

#include <fmt/format.h>

#include "claims/claims.hpp"

namespace msda {
namespace {

/// Of every problem with times or counters, each once.
std::vector<std::string> problems_of(const std::vector<Table>& tables,
                                     const std::vector<CounterTable>& counters) {
  std::vector<std::string> problems;
  const auto add = [&](const std::string& problem) {
    if (std::find(problems.begin(), problems.end(), problem) == problems.end()) {
      problems.push_back(problem);
    }
  };
  for (const Table& table : tables) add(table.problem);
  for (const CounterTable& table : counters) add(table.problem);
  return problems;
}

const CountedLaunch* find_launch(const std::vector<CounterTable>& counters,
                                 const CheckedClaim& checked) {
  for (const CounterTable& table : counters) {
    if (table.problem == checked.problem && table.mode == name_of(checked.mode)) {
      return table.find(checked.claim.arms.front());
    }
  }
  return nullptr;
}

/// Puts the claimed number against the one of a launch, or says why it has none.
void check_launch(const CountedLaunch& launch, CheckedClaim& checked) {
  const KernelCounters& kernel = launch.kernel;
  const std::string& metric = checked.claim.metric;
  checked.measured = kernel.find(metric);
  if (checked.measured) {
    checked.verdict = judge(Claim::Quantity::kCounter, checked.claim.range,
                            Interval{*checked.measured, *checked.measured});
    checked.remark = fmt::format("{} of one launch, counted by {}", metric, kernel.tool);
    return;
  }
  const auto& missing = kernel.missing;
  if (std::find(missing.begin(), missing.end(), metric) != missing.end()) {
    checked.reason = fmt::format("{} has no {} on {}", kernel.tool, metric, kernel.device);
    return;
  }
  checked.verdict = ClaimVerdict::kNotProfiled;
  checked.reason = fmt::format("{} was not among the metrics that were counted", metric);
}

}  // namespace

std::vector<CheckedClaim> check_counter_claim(const Claim& claim, const std::vector<Table>& tables,
                                              const std::vector<CounterTable>& counters) {
  std::vector<CheckedClaim> all;
  for (const std::string& problem : problems_of(tables, counters)) {
    if (!claim.problem.empty() && claim.problem != problem) continue;
    CheckedClaim& checked = all.emplace_back();
    checked.claim = claim;
    checked.problem = problem;
    // A graph holds the kernels of warm launches, and these are what is counted.
    checked.mode = traits_of(claim.mode.value_or(kUsualMode)).counted_as;
    if (const CountedLaunch* launch = find_launch(counters, checked)) {
      check_launch(*launch, checked);
      continue;
    }
    checked.verdict = ClaimVerdict::kNotProfiled;
    checked.reason = fmt::format("{}: `msda profile` counts it", claim.metric);
  }
  return all;
}

}  // namespace msda
