// The table and the figure of what a run did when.
#pragma once

#include <nlohmann/json.hpp>

#include "render/layout.hpp"

namespace msda {

/// A row for each use of time. It points into `timeline`.
Layout lay_out_timeline(const Timeline& timeline);

/// Values of the figure: {use, begin, end, share, tip}, times in seconds since the run's begin.
nlohmann::json timeline_values(const Timeline& timeline);

/// {seconds, uses: [{name, seconds}], strips: [{use, begin, end, share}]}
nlohmann::json to_json(const Timeline& timeline);

}  // namespace msda
