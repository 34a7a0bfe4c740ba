// What the pre-passes of an arm cost, and what the arm would be worth without them: the bound for
// whoever can keep their result from one launch to the next, or have it made elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/record.hpp"
#include "statistics/statistics.hpp"

namespace msda {

/// One part of an arm's launch, timed by itself.
struct PartMedian {
  std::string name;
  double seconds = 0;    ///< median over the samples of all blocks
  bool outside = false;  ///< not in the arm's time
};

struct PrepassSplit {
  /// What runs before the main kernel, and after it, in order; not empty.
  std::vector<PartMedian> before;
  double kernel_seconds = 0;  ///< median of the main kernel
  /// Baseline time / time of the main kernel alone, estimated inside blocks; nullopt without a
  /// baseline.
  std::optional<RatioEstimate> without;

  double prepass_seconds() const;
  double total_seconds() const { return prepass_seconds() + kernel_seconds; }
  double share() const { return prepass_seconds() / total_seconds(); }  ///< 0..1
};

/// nullopt for an arm whose parts were not timed. `baseline` is null when it has no time.
std::optional<PrepassSplit> split_prepasses(const Record& record, const Record* baseline,
                                            PlannedProcesses planned = {});

}  // namespace msda
