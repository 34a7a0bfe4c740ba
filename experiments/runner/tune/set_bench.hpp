// The bench of a search over a set of problems: a candidate's time is the geometric mean of its
// times on them, each relative to the baseline's on the same problem.
#pragma once

#include <memory>
#include <vector>

#include "runner/tune/bench.hpp"

namespace msda {

class SetBench final : public Bench {
 public:
  /// One bench for each problem, at least one; all have the same candidates.
  explicit SetBench(std::vector<std::unique_ptr<Bench>> benches) : benches_(std::move(benches)) {}

  /// A candidate without a time on one problem has none. It ran as many blocks as where it ran
  /// most; where it ran fewer, their mean stands for the rest.
  std::vector<Outcome> measure(const Trial& trial) override;
  /// All benches have the same clock; one that replays trials is behind.
  double seconds() const override;

 private:
  std::vector<std::unique_ptr<Bench>> benches_;
};

}  // namespace msda
