// When a worker was in which phase, for the time line of the run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "facts/timing_mode.hpp"
#include "results/run_ranges.hpp"

namespace msda {

/// Follows the phases that a worker announces. Neighbours of one phase are one range, up to a
/// second: a run leaves a line for each second at most, and it shows when something changed.
class RangeLog {
 public:
  explicit RangeLog(std::string device) : device_(std::move(device)) {}

  /// What the ranges that begin from now on belong to.
  void begin_group(const std::string& problem, TimingMode mode);
  void end_group();
  /// Ends the phase that was going on, in which the steps took so many seconds, and begins another;
  /// "" begins none.
  void enter(const std::string& phase, std::map<std::string, double> steps = {});
  /// Seconds of samples in the phase that is going on. In mode cold the rest of its step "samples"
  /// is that of the flushes between them.
  void add_samples(const std::vector<double>& seconds);
  /// All since the last call; the phase that is going on is parted in two by it.
  std::vector<RunRange> take();

 private:
  void end_range(std::map<std::string, double> steps, double now);

  std::string device_;
  std::string problem_;
  std::string mode_;
  bool flushes_caches_ = false;  ///< before samples of the mode
  std::string phase_;
  double since_ = 0;
  double sampled_ = 0;
  std::vector<RunRange> ended_;
  bool may_join_ = false;  ///< the phase goes on with that of the last ended one
};

}  // namespace msda
