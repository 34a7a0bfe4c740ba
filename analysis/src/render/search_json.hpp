#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "tuning/landscape.hpp"

namespace msda {

/// [{problem, mode, baseline, points, left, tried, seconds, winner, finalists, factors}]; the
/// candidates themselves stay in search.jsonl.
nlohmann::json to_json(const std::vector<SearchReport>& searches);

}  // namespace msda
