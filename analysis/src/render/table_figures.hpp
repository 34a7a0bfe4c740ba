// The values of a table's figures, for the rows that are drawn.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "statistics/table.hpp"

namespace msda {

/// Rows of one table, with a time.
using Rows = std::vector<const Row*>;

/// {arm, speedup, low, high, verdict, tip}
nlohmann::json speedup_values(const Rows& rows);
/// {arm, time, error, front, tip}; `front`: no other row is both faster and more accurate.
nlohmann::json pareto_values(const Rows& rows);
/// {arm, share, tip}, where ceilings are known.
nlohmann::json sol_values(const Rows& rows);
/// {arm, seconds, q1, q3, median, tip}; `seconds` are samples, evenly thinned.
nlohmann::json sample_values(const Rows& rows);
/// {arm, index, process, deviation, tip}; blocks stand at the same index in all arms.
nlohmann::json block_values(const Rows& rows);

}  // namespace msda
