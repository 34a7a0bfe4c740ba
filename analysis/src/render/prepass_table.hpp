// The table "Pre-passes" of a report.
#pragma once

#include <optional>

#include "render/layout.hpp"

namespace msda {

/// One row for each cell whose parts were timed; nullopt when there is none. The verdict is on the
/// main kernel alone.
std::optional<Layout> lay_out_prepasses(const Report& report);

}  // namespace msda
