// Whether the clock that times launches is the system's: code in this process can put another one
// in its place.
#pragma once

#include <vector>

#include "device/host/held_signals.hpp"

namespace msda {

/// Around each of some timed intervals of this thread. Asks the kernel itself for the same clock,
/// by an instruction and no function that could be replaced.
class ClockCheck {
 public:
  /// `signals` are released and held again in each interval.
  explicit ClockCheck(const HeldSignals& signals) : signals_(signals) {}
  /// First asks both clocks and sets signals as often as an interval does, with nothing between:
  /// what that takes depends on what was done before, which leaves more or less of the kernel in
  /// the caches.
  void begin();
  /// `seconds`: how long the interval was by the clock that times.
  void end(double seconds);
  /// Throws Error when both clocks disagree about more than half of the intervals, of two at least:
  /// by 1%, and by more than ten times what asking takes, by its median.
  void require_agreement() const;

 private:
  /// Seconds by the clock that times, and by the kernel's.
  struct Interval {
    double timed = 0;
    double passed = 0;
  };

  const HeldSignals& signals_;
  double began_ = 0;
  std::vector<double> asking_;  ///< seconds
  std::vector<Interval> intervals_;
};

}  // namespace msda
