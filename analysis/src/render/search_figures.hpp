// The values of a search's figures.
#pragma once

#include <nlohmann/json.hpp>

#include "tuning/landscape.hpp"

namespace msda {

/// The candidates with a time in order: {rank, cost, stage, tip}, evenly thinned.
nlohmann::json landscape_values(const SearchReport& search);
/// The best so far: {seconds, gain, tip}.
nlohmann::json search_progress_values(const SearchReport& search);
/// What a level costs: {factor, level, way, cost, tip}.
nlohmann::json level_values(const SearchReport& search);

}  // namespace msda
