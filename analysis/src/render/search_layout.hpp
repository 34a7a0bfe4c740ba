// The tables of a search: its finalists as searched and as confirmed, and what each level of each
// factor was worth.
#pragma once

#include <vector>

#include "render/layout.hpp"

namespace msda {

/// Two for each problem and mode that was searched; they point into the report.
std::vector<Layout> search_layouts(const Report& report);

}  // namespace msda
