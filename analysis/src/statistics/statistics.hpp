// Statistics on log time. Arms of one problem are timed in interleaved blocks, so a ratio of two
// arms is estimated inside blocks, where slow drift of the machine cancels; the process is the unit
// of replication where there are several, because process context moves timings (Kalibera & Jones,
// "Quantifying performance changes with effect size confidence intervals", arXiv:2007.10899).
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "results/record.hpp"
#include "statistics/estimate.hpp"

namespace msda {

/// A ratio is called equal when its 95% interval lies inside 1 +- this.
inline constexpr double kEquivalence = 0.01;

/// Ratio of the times of two arms.
struct RatioEstimate {
  double ratio = 1;                     ///< geometric mean of the ratios
  std::optional<Interval> interval_95;  ///< absent when `replication` is kNone
  Replication replication = Replication::kNone;
  int replicates = 0;  ///< processes or blocks that went into it
};

/// Median; the mean of the two in the middle for an even count. Throws Error for an empty sample.
double median(std::vector<double> values);

/// Median over the samples of all blocks, in seconds; nullopt where there is none.
std::optional<double> median_seconds(const std::vector<SampleBlock>& blocks);

/// Log of the median time of each (process, block) that has one. A resumed run may hold a block in
/// two parts; they count as one block.
using LogTimes = std::map<std::pair<int, int>, double>;
LogTimes log_medians(const std::vector<SampleBlock>& blocks);

/// log(time(numerator) / time(denominator)) from the blocks that both have: in each (process,
/// block) the log of the ratio of the two block medians is one observation, see mean_of(). nullopt
/// when no block is common to both.
std::optional<LogEstimate> estimate_log_ratio(const std::vector<SampleBlock>& numerator,
                                              const std::vector<SampleBlock>& denominator,
                                              PlannedProcesses planned = {});

RatioEstimate to_ratio(const LogEstimate& log_ratio);

/// The same as a ratio with its 95% interval.
std::optional<RatioEstimate> estimate_ratio(const std::vector<SampleBlock>& numerator,
                                            const std::vector<SampleBlock>& denominator,
                                            PlannedProcesses planned = {});

/// The time of an arm.
struct TimeEstimate {
  double seconds = 0;                   ///< geometric mean of the blocks' medians
  std::optional<Interval> interval_95;  ///< absent when `replication` is kNone
  Replication replication = Replication::kNone;
  int replicates = 0;  ///< processes or blocks that went into it
};

/// Log seconds, estimated as estimate_log_ratio() does a ratio. nullopt when no block has a time.
std::optional<LogEstimate> estimate_log_time(const std::vector<SampleBlock>& blocks,
                                             PlannedProcesses planned = {});

/// Estimates a time as estimate_ratio() does a ratio: the log of each block's median is one
/// observation. nullopt when no block has a time.
std::optional<TimeEstimate> estimate_time(const std::vector<SampleBlock>& blocks,
                                          PlannedProcesses planned = {});

enum class Difference { kFaster, kSlower, kEqual, kUndecided };
std::string_view name_of(Difference difference);  ///< "faster", ...

/// What a ratio baseline / arm says about the arm: equal when the interval lies inside 1 +-
/// kEquivalence, else faster or slower when it excludes 1, else undecided.
Difference classify(const RatioEstimate& speedup);

}  // namespace msda
