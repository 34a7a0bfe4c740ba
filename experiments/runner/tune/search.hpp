// The search itself, apart from all measuring: which candidates to try, in which order, who is left
// in the end. It asks a Bench for times and decides by them and by the seconds that the bench says
// have passed, so that with the same answers it does the same again: that is how a search goes on
// after an interruption, and how it is tested on simulated landscapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "runner/tune/bench.hpp"
#include "runner/tune/pool.hpp"
#include "runner/tune/scoreboard.hpp"

namespace msda {

struct SearchSettings {
  std::uint64_t seed = 1;
  double budget_seconds = 300;     ///< for all, the confirmation included
  int confirming_processes = 5;    ///< that the confirmation should start
  std::uint64_t enumerate = 4096;  ///< of no more points every one is measured
  std::size_t finalists = 4;
};

/// How a search ended.
struct SearchEnd {
  std::vector<std::uint64_t> finalists;  ///< the fastest first; none when no candidate has a time
  std::vector<double> log_times;         ///< of the finalists, by the last round of halving alone;
                                         ///< by all trials where there was time for none
  int confirming_processes = 0;          ///< as many as the budget has time for, 3 at least
  double sampling_seconds = 0;           ///< for the samples of the confirmation
  std::uint64_t measured = 0;            ///< candidates with a time
  std::uint64_t failed = 0;              ///< candidates that have none
  bool whole = false;                    ///< every point that can run was measured
  bool out_of_time = false;  ///< the budget ended it, not the lack of anything promising
};

class Search {
 public:
  /// Called before a trial and, with `done`, after it.
  using OnTrial = std::function<void(const Trial& trial, const Scoreboard& board, bool done)>;

  Search(const Pool& pool, Bench& bench, const SearchSettings& settings, OnTrial on_trial = {});

  /// The known arms first. Then every point of a small space; of a large one a screening fraction,
  /// a model of main effects and interactions, and what the model and the neighbourhood of the best
  /// propose. The best of all then by halving, with fresh inputs, as far as the budget has time for
  /// it. What a bench throws passes through.
  SearchEnd run();

 private:
  void measure(Stage stage, std::vector<std::uint64_t> candidates);
  void try_known();
  bool enumerate();
  void screen();
  void refine();
  void halve();
  /// Of a process: its start, inputs and their references.
  double start_seconds() const;
  /// Of a round of halving.
  double halving_seconds(std::size_t candidates) const;
  /// Of a process of the confirmation.
  double confirming_seconds() const;
  /// How many of these the budget has time for.
  int confirming_processes() const;
  double seconds_left() const { return settings_.budget_seconds - bench_.seconds(); }
  /// How many untried candidates the budget still has time for.
  std::size_t affordable() const;

  const Pool& pool_;
  Bench& bench_;
  SearchSettings settings_;
  OnTrial on_trial_;
  std::mt19937_64 random_;
  Scoreboard board_;
  Scoreboard round_;          ///< of the halving alone, its last round
  double first_seconds_ = 0;  ///< of the first trial, which starts a process
  std::size_t first_candidates_ = 0;
  double candidate_seconds_ = 0;  ///< of an untried candidate, in the last trials
  SearchEnd end_;
};

}  // namespace msda
