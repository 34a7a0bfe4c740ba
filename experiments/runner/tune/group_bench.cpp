#include "runner/tune/group_bench.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "elapsed.hpp"
#include "statistics/statistics.hpp"

namespace msda {
namespace {

/// Inputs depend on the process's number; a search has numbers of its own, so that the inputs of
/// the confirmation, which counts from 0, are new to its finalists.
constexpr int kFirstProcess = 1'000'000;

/// Samples of a candidate in a block: a search has many candidates and needs little of each.
constexpr int kMostSamples = 5;
constexpr int kMostWarmup = 2;

std::vector<Outcome> outcomes_of(const SearchTrial& trial) {
  std::vector<Outcome> outcomes;
  for (const SearchedCandidate& candidate : trial.candidates) {
    outcomes.push_back({candidate.number, candidate.failure, candidate.logs});
  }
  return outcomes;
}

}  // namespace

void SearchLog::add(const SearchTrial& trial) {
  const std::lock_guard lock(mutex_);
  append_search(file_, trial);
  trials_.push_back(trial);
}

std::vector<SearchTrial> SearchLog::of(const std::string& problem, TimingMode mode) const {
  const std::lock_guard lock(mutex_);
  std::vector<SearchTrial> found;
  for (const SearchTrial& trial : trials_) {
    if (trial.problem == problem && trial.mode == mode) found.push_back(trial);
  }
  return found;
}

GroupBench::GroupBench(GroupRequest request, double error, const Candidates& candidates,
                       Supervisor& supervisor, SearchLog& log)
    : request_(std::move(request)),
      error_(error),
      candidates_(candidates),
      supervisor_(supervisor),
      log_(log),
      earlier_(log.of(request_.problem.name(), request_.mode)) {
  request_.process = kFirstProcess;
  request_.measure.samples = std::min(request_.measure.samples, kMostSamples);
  request_.measure.warmup = std::min(request_.measure.warmup, kMostWarmup);
  request_.measure.processes = 1;
}

double GroupBench::seconds() const {
  const bool replaying = static_cast<std::size_t>(trials_) < earlier_.size();
  if (replaying) return seconds_;
  return seconds_ + seconds_since(since_);
}

std::vector<Outcome> GroupBench::measure(const Trial& trial) {
  if (static_cast<std::size_t>(trials_) < earlier_.size()) return replay(trial);
  SearchTrial result = run(trial);
  result.number = trials_++;
  result.seconds = seconds();
  log_.add(result);
  return outcomes_of(result);
}

std::vector<Outcome> GroupBench::replay(const Trial& trial) {
  const SearchTrial& earlier = earlier_[static_cast<std::size_t>(trials_++)];
  const bool same = std::equal(
      trial.candidates.begin(), trial.candidates.end(), earlier.candidates.begin(),
      earlier.candidates.end(),
      [](std::uint64_t number, const SearchedCandidate& one) { return number == one.number; });
  if (!same || earlier.stage != name_of(trial.stage)) {
    throw UsageError(
        fmt::format("cannot resume: trial {} of {} {} in {} is not the one that this search makes; "
                    "was it another seed, budget or version of the program?",
                    earlier.number, earlier.problem, name_of(earlier.mode), kSearchFile));
  }
  seconds_ = earlier.seconds;
  since_ = Clock::now();
  if (trial.stage == Stage::kHalve) ++request_.process;
  return outcomes_of(earlier);
}

/// A halving has a process and inputs of its own.
GroupRequest GroupBench::request_for(const Trial& trial) {
  if (trial.stage == Stage::kHalve) {
    supervisor_.end_worker();
    ++request_.process;
  }
  GroupRequest request = request_;
  request.measure.blocks = trial.blocks;
  request.keep = trial.keep;
  for (const std::uint64_t number : trial.candidates) {
    request.arms.push_back(candidates_.arm(number));
  }
  return request;
}

SearchTrial GroupBench::run(const Trial& trial) {
  const GroupRequest request = request_for(trial);
  std::vector<std::string> names;
  for (const ArmEntry& arm : request.arms) names.push_back(arm.name);
  std::map<std::string, Record> records;
  supervisor_.run(request, names, [&](const Record& record) {
    const auto [found, is_new] = records.try_emplace(record.arm, record);
    if (!is_new) found->second = joined(std::move(found->second), record);
  });
  const Record& baseline = records.at(request.baseline);
  const auto seconds = median_seconds(baseline.samples);
  if (baseline.status != CellStatus::kOk || !seconds) {
    throw BaselineFailed(fmt::format(
        "the baseline {} is {} on {}: {}; without it nothing can be compared. Name another "
        "'baseline'",
        baseline.arm, name_of(baseline.status), baseline.problem, baseline.reason));
  }
  SearchTrial result;
  result.problem = request.problem.name();
  result.mode = request.mode;
  result.stage = name_of(trial.stage);
  result.baseline_seconds = *seconds;
  for (const std::uint64_t number : trial.candidates) {
    const std::string name = candidates_.name(number);
    result.candidates.push_back(this->result(number, records.at(name), baseline));
  }
  return result;
}

SearchedCandidate GroupBench::result(std::uint64_t number, const Record& record,
                                     const Record& baseline) const {
  SearchedCandidate candidate{number, record.arm, "", record.worst_output().relative_l2, 0, {}};
  if (record.status != CellStatus::kOk) {
    candidate.failure = fmt::format("{}: {}", name_of(record.status), record.reason);
    return candidate;
  }
  if (!(record.worst_output().relative_l2 <= error_)) {
    candidate.failure = fmt::format("inaccurate: relative L2 error {:.2e} is above {:.0e}",
                                    record.worst_output().relative_l2, error_);
    return candidate;
  }
  const LogTimes own = log_medians(record.samples);
  const LogTimes base = log_medians(baseline.samples);
  for (const auto& [block, log_time] : own) {
    if (const auto beside = base.find(block); beside != base.end()) {
      candidate.logs.push_back(log_time - beside->second);
    }
  }
  if (candidate.logs.empty()) candidate.failure = "no block of it has the baseline beside it";
  candidate.seconds = median_seconds(record.samples).value_or(0);
  return candidate;
}

}  // namespace msda
