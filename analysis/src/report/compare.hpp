// Two runs of the same cells: what became better or worse.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace msda {

enum class Change { kBetter, kWorse, kEqual, kUndecided, kNotComparable };
std::string_view name_of(Change change);

struct CellChange {
  std::string cell;  ///< "problem/arm/mode"
  Change change = Change::kNotComparable;
  double before_seconds = 0;  ///< median; 0 without a time
  double after_seconds = 0;
  std::optional<double> ratio;       ///< time before / time after: above 1 is faster now
  std::optional<Interval> ratio_95;  ///< of this cell alone
  Replication replication = Replication::kNone;  ///< what the interval is over
  std::string reason;  ///< why there is nothing to compare, or why it is worse without a time
};

/// Every cell of either run, in the order of `before`. The runs share no block, so the medians of
/// their blocks (of their processes, where both have several) are compared with Welch's t; drift
/// between the runs is not in the interval. Worse or better: "the ratio lies inside 1 +-
/// `threshold`" is refused at 5%, corrected over all cells (Holm); equal: "it lies outside" is. A
/// cell that had a time and has none now (but was not skipped) is worse. Throws UsageError for runs
/// of different devices and for runs without a common cell.
std::vector<CellChange> compare_runs(const Report& before, const Report& after, double threshold);

}  // namespace msda
