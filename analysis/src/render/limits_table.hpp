// What bounds the fastest arm of each problem, all problems in one table.
#pragma once

#include <optional>

#include "render/layout.hpp"

namespace msda {

/// A row for each problem and mode with counters: of the arm whose counted launch took the least
/// time what the samples say (median, % SOL), and how busy it kept what could bound it. nullopt
/// where counters are of fewer than two problems: the table of counters says it then.
std::optional<Layout> lay_out_limits(const Report& report);

}  // namespace msda
