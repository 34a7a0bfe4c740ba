// The table "What best is" of a report.
#pragma once

#include <optional>

#include "render/layout.hpp"

namespace msda {

/// One row for each cell of an arm with `use: best`: the composition that it stands for, as a
/// footnote because those are long, and how near the problem of the search that found it is.
/// nullopt when the run has no such arm.
std::optional<Layout> lay_out_best(const Report& report);

}  // namespace msda
