// A landscape whose truth is known, and a bench that measures it with noise.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "results/record.hpp"
#include "runner/tune/bench.hpp"
#include "runner/tune/pool.hpp"

namespace msda::test {

struct LandscapeShape {
  std::vector<int> choices = {4, 3, 3, 2, 2};  ///< alternatives of each decision
  int values = 4;              ///< of the parameter that half of a decision's alternatives have
  double main = 0.25;          ///< standard deviation of a main effect, in log time
  double pair = 0.08;          ///< of an interaction of two levels
  double own = 0.02;           ///< of what is a point's own
  double refused_share = 0.1;  ///< of points that cannot run
};

/// Log times of all points, drawn with a seed: the same whenever they are asked for.
class Landscape {
 public:
  Landscape(const LandscapeShape& shape, std::uint64_t seed);

  const SearchSpace& space() const { return space_; }
  bool can_run(std::uint64_t number) const;
  /// `listed`: with all points that can run, as a space that is small enough has it.
  Pool pool(bool listed) const;
  double log_time(std::uint64_t number) const;
  /// The least log time of the points that can run and that `counts`; looks at each of them.
  double best(const std::function<bool(std::uint64_t)>& counts) const;

 private:
  double effect(std::uint64_t what, double deviation) const;
  /// Number of a factor's level among all levels of all factors; level -1 is that it has none.
  std::size_t place(std::size_t factor, int level) const {
    return first_[factor] + static_cast<std::size_t>(level + 1);
  }

  LandscapeShape shape_;
  std::uint64_t seed_;
  SearchSpace space_;
  std::vector<std::size_t> first_;          ///< place of each factor's level -1
  std::vector<double> mains_;               ///< by place
  std::vector<std::vector<double>> pairs_;  ///< by place and place
};

/// Measures with log-normal noise. A process adds its own to each candidate, and the baseline's
/// noise is shared by all candidates of a block.
class SimulatedBench final : public Bench {
 public:
  SimulatedBench(const Landscape& landscape, double noise, std::uint64_t seed)
      : landscape_(landscape), noise_(noise), random_(seed) {}

  std::vector<Outcome> measure(const Trial& trial) override;
  double seconds() const override { return seconds_; }

  double start_seconds = 4;        ///< of a process
  double candidate_seconds = 0.2;  ///< of compiling, loading and verifying one
  double failing_share = 0.02;     ///< of candidates that crash or are wrong, always the same ones
  double baseline_log_time = 0;
  std::map<std::uint64_t, double> beyond;  ///< log times of candidates that are no points

  bool fails(std::uint64_t candidate) const;
  /// Samples of the baseline, the first record, and of these candidates, the others, in blocks.
  void confirm(const std::vector<std::uint64_t>& candidates, int processes, int blocks,
               std::vector<Record>& records);

 private:
  double log_time(std::uint64_t candidate) const;
  double noise() { return std::normal_distribution<double>(0, noise_)(random_); }

  const Landscape& landscape_;
  double noise_;
  std::mt19937_64 random_;
  double seconds_ = 0;
};

}  // namespace msda::test
