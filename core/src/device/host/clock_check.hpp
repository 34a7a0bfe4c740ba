// Whether the clock that times launches is the system's: code in this process can put another one
// in its place.
#pragma once

#include <cstddef>
#include <vector>

#include "device/host/held_signals.hpp"

namespace msda {

/// Around timed intervals of this thread, of one arm. Asks the kernel itself for the same clock, by
/// an instruction and no function that could be replaced. An interrupt or another process at work
/// within an interval, but beside the launch, looks like another clock: under load at one of 100
/// intervals of a few microseconds. So eight intervals are judged together, of several series where
/// one has less.
class ClockCheck {
 public:
  /// `intervals` follow.
  void begin_series(std::size_t intervals);
  /// `signals` are released and held again in the interval. First asks both clocks and sets signals
  /// as often as the interval does, with nothing between: what that takes depends on what was done
  /// before, which leaves more or less of the kernel in the caches.
  void begin(const HeldSignals& signals);
  /// `seconds`: how long the interval was by the clock that times.
  void end(double seconds);
  /// Throws Error when both clocks disagree about more than half of the intervals that are judged,
  /// of four at least: by 1%, and by more than ten times what asking takes, by its median.
  void require_agreement() const;

 private:
  /// Seconds of what asking took beforehand, of the interval by the clock that times, and by the
  /// kernel's.
  struct Interval {
    double asking = 0;
    double timed = 0;
    double passed = 0;
  };

  double began_ = 0;
  double asking_ = 0;
  std::vector<Interval> intervals_;
};

}  // namespace msda
