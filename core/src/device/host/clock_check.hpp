// Whether the clock that times launches is the system's: code in this process can put another one
// in its place.
#pragma once

#include <cstddef>
#include <functional>

namespace msda {

/// How long both clocks take to be asked at both ends of an interval in which nothing happens; the
/// median of a few, each after `before()`, which leaves caches as a launch finds them.
double seconds_of_asking(const std::function<void()>& before);

/// Around each of some timed intervals of this thread. Asks the kernel itself for the same clock,
/// by an instruction and no function that could be replaced.
class ClockCheck {
 public:
  /// `asking`: seconds_of_asking().
  explicit ClockCheck(double asking);
  void begin();
  /// `seconds`: how long the interval was by the clock that times.
  void end(double seconds);
  /// Throws Error when both clocks disagree about more than half of the intervals, of two at least:
  /// by 1%, and by more than ten times what asking takes.
  void require_agreement() const;

 private:
  double asking_;
  double began_ = 0;
  std::size_t intervals_ = 0;
  std::size_t other_ = 0;  ///< that the other clock says something else of
  double timed_ = 0;       ///< seconds of these
  double passed_ = 0;      ///< the same by the kernel's clock
};

}  // namespace msda
