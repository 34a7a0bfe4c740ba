// Work that an arm does outside of what is timed, such as packing its inputs once, and what the arm
// would be worth if that were a part of each launch.
#pragma once

#include <optional>

#include "results/record.hpp"
#include "statistics/statistics.hpp"
#include "statistics/table.hpp"

namespace msda {

bool has_outside_work(const Record& record);

/// Baseline time / (arm's time + median of the outside parts in the same block), estimated inside
/// blocks. Where the other parts take a fifth longer than the arm's time, theirs counts.
/// nullopt where nothing is outside or no block is common.
std::optional<RatioEstimate> ratio_with_outside(const Record& record, const Record& baseline,
                                                PlannedProcesses planned = {});
/// The same of a row over its table's baseline; nullopt where that has no time.
std::optional<RatioEstimate> ratio_with_outside(const Table& table, const Row& row);

}  // namespace msda
