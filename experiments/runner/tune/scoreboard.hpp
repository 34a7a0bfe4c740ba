// What a search has learned of each candidate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runner/tune/bench.hpp"

namespace msda {

struct Score {
  std::string failure;
  double sum = 0;  ///< of the logs
  int blocks = 0;

  bool failed() const { return !failure.empty(); }
  /// Mean of log(time / baseline's time).
  double log_time() const { return sum / blocks; }
};

class Scoreboard {
 public:
  void add(const Outcome& outcome);
  bool knows(std::uint64_t candidate) const { return scores_.contains(candidate); }
  const std::map<std::uint64_t, Score>& all() const { return scores_; }
  /// How many have a time.
  std::size_t timed() const;
  /// At most `count` of those with a time, the fastest first.
  std::vector<std::uint64_t> leaders(std::size_t count) const;

 private:
  std::map<std::uint64_t, Score> scores_;
};

}  // namespace msda
