// A search as an ablation: which factor mattered, how the times of the space are spread, what a
// worse choice costs. All from search.jsonl and the confirmation's records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "design/space.hpp"
#include "results/manifest.hpp"
#include "results/search_log.hpp"
#include "tuning/confirmation.hpp"
#include "tuning/factor_shares.hpp"

namespace msda {

/// A candidate with everything that the search learned of it.
struct TriedCandidate {
  std::uint64_t number = 0;
  std::string name;
  Levels levels;           ///< empty for an arm that is no point of the space
  std::string stage;       ///< of the trial that tried it first
  std::string failure;     ///< why it has no time, or ""
  double log_time = 0;     ///< mean of log(time / the baseline's time) over its blocks
  int blocks = 0;          ///< 0 without a time
  double relative_l2 = 0;  ///< the largest that was seen

  bool timed() const { return failure.empty() && blocks > 0; }
};

/// One level of one factor. Costs are ratios of times, 1 or more where the level loses.
struct LevelWorth {
  std::string level;
  int tried = 0;                        ///< candidates with a time
  std::optional<double> best_with_it;   ///< the fastest candidate with it / the fastest of all
  std::optional<double> at_the_winner;  ///< the winner with this one change / the winner
  bool measured = false;                ///< whether that change was tried, or is the model's word
  bool of_the_winner = false;
};

struct FactorWorth {
  std::string factor;
  FactorShares shares;  ///< of the variance of log time as the model has it
  std::vector<LevelWorth> levels;
};

/// The best candidate so far, after a trial.
struct SearchProgress {
  double seconds = 0;
  int tried = 0;
  double gain = 1;
};

struct FinalistResult {
  std::string name;
  std::string description;  ///< its levels in words, or its composition
  double searched_gain = 1;
  std::optional<Confirmation> confirmation;  ///< absent as long as it has none
};

/// Points that never were candidates.
struct RemovedPoints {
  std::string reason;
  double points = 0;  ///< an estimate where the space is large
};

/// What the winner of several problems gains on them.
struct FamilyGain {
  double mean = 1;  ///< the geometric one
  std::string least_on;
  double least = 1;
  std::string most_on;
  double most = 1;
};

/// The search of one problem in one mode.
struct SearchReport {
  std::string problem;
  TimingMode mode = kUsualMode;
  std::string baseline;
  std::string failure;                ///< why the search could not be made, or ""
  std::vector<std::string> together;  ///< the problems of one search for all; empty: this one alone
  std::optional<FamilyGain> family;   ///< of `together`, where there is a winner
  bool ended = false;
  bool whole = false;  ///< every point that can run was tried
  bool out_of_time = false;
  double points = 0;                   ///< of the space
  double left = 0;                     ///< that can run; an estimate where the space is large
  std::vector<RemovedPoints> removed;  ///< before anything was compiled; most points first
  double seconds = 0;
  std::vector<TriedCandidate> tried;  ///< those with a time first, the fastest first
  std::vector<SearchProgress> progress;
  std::vector<FinalistResult> finalists;  ///< in the search's order
  /// Among the finalists: the confirmed one; of several problems together, that of them all.
  std::optional<std::size_t> winner;

  /// Of problems that were searched together the first speaks for all.
  bool speaks() const { return together.empty() || together.front() == problem; }
  /// What costs are relative to, among `tried`: the winner where it is a point of the space, else
  /// the fastest point.
  std::optional<std::size_t> reference;
  std::vector<FactorWorth> factors;
};

/// One for each problem and mode that the log or the manifest's "searches" have. `records` are the
/// confirmation's.
std::vector<SearchReport> make_search_reports(const Manifest& manifest,
                                              const std::vector<SearchTrial>& trials,
                                              const std::vector<Record>& records);

/// The share of the candidates with a time that are at most `cost` times as slow as the fastest.
double share_within(const SearchReport& report, double cost);

/// What each factor and level was worth in a search, from the candidates that have a time;
/// `reference` is the point that costs are relative to. Empty without a point that has a time.
std::vector<FactorWorth> factor_worths(const SearchSpace& space,
                                       const std::vector<TriedCandidate>& tried,
                                       const TriedCandidate& reference);

}  // namespace msda
