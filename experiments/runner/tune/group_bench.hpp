// The bench of a real search: a worker with a device. Every trial that has ended is in search.jsonl
// before the next begins; a search that goes on asks for the same trials again and gets them from
// there.
#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "results/search_log.hpp"
#include "runner/supervise/supervisor.hpp"
#include "runner/tune/bench.hpp"
#include "runner/tune/candidates.hpp"

namespace msda {

/// What every candidate is compared with has no time itself: this problem cannot be searched.
class BaselineFailed : public Error {
 public:
  using Error::Error;
};

/// search.jsonl of a run; callable from several threads.
class SearchLog {
 public:
  /// Takes over what the file holds. Throws UsageError for one that is broken.
  explicit SearchLog(std::filesystem::path file)
      : file_(std::move(file)), trials_(read_search(file_)) {}

  /// On the disk when it returns.
  void add(const SearchTrial& trial);
  /// Those of one problem in one mode, in order.
  std::vector<SearchTrial> of(const std::string& problem, TimingMode mode) const;

 private:
  mutable std::mutex mutex_;
  std::filesystem::path file_;
  std::vector<SearchTrial> trials_;
};

class GroupBench final : public Bench {
 public:
  /// `request` names experiment, problem, mode, baseline and settings; its arms hold the baseline
  /// alone. Candidates with a relative L2 error above `error` have no time.
  GroupBench(GroupRequest request, double error, const Candidates& candidates,
             Supervisor& supervisor, SearchLog& log);

  /// Throws Interrupted, DeviceUnusable, BaselineFailed; UsageError when the log is of another
  /// search.
  std::vector<Outcome> measure(const Trial& trial) override;
  double seconds() const override;

 private:
  std::vector<Outcome> replay(const Trial& trial);
  GroupRequest request_for(const Trial& trial);
  SearchTrial run(const Trial& trial);
  SearchedCandidate result(std::uint64_t number, const Record& record,
                           const Record& baseline) const;

  using Clock = std::chrono::steady_clock;
  GroupRequest request_;
  double error_;
  const Candidates& candidates_;
  Supervisor& supervisor_;
  SearchLog& log_;
  std::vector<SearchTrial> earlier_;  ///< of this search, before it was interrupted
  int trials_ = 0;
  double seconds_ = 0;  ///< of the trials replayed, or up to the last one's end
  Clock::time_point since_ = Clock::now();
};

}  // namespace msda
