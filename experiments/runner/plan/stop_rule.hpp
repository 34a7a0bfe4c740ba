// When the arms of a problem in a mode have run in enough processes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/record.hpp"
#include "runner/plan/plan.hpp"

namespace msda {

/// How far a group is.
struct GroupState {
  int processes = 0;  ///< that every arm which is still ok has run in
  /// Half the width of the widest 95% interval of a ratio to the baseline, relative to the ratio;
  /// absent where there is none.
  std::optional<double> precision;
  double measured_seconds = 0;  ///< of the blocks, over all processes
  /// Why no more processes are needed: "precision", "processes" (as many as may be), "budget", or
  /// "no arm" when none is ok. "" when another one is.
  std::string stopped_by;
};

/// The state of a group with these records. The planned processes always run, each with its part of
/// the budget. After them others are added until every ratio is known to `measure.precision`, as
/// far as `most_processes` and what is left of the budget allow. The rule looks at spreads alone,
/// never at a ratio, and its intervals rest on those of the planned processes (PlannedProcesses),
/// so that ending early does not cost coverage.
GroupState group_state(const Plan& plan, const std::vector<Record>& records);

/// The arms that have no record, or are ok and have run in no more than `processes` processes.
std::vector<std::string> waiting_arms(const Plan& plan, const std::vector<Record>& records,
                                      int processes);

/// The number for the next worker process of a group: one that no record has.
int next_process(const std::vector<Record>& records);

}  // namespace msda
