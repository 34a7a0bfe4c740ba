// The values of the counters' figures.
#pragma once

#include <nlohmann/json.hpp>

#include "counters/counter_tables.hpp"

namespace msda {

/// What the time of each arm's profiled launch goes into: {arm, part, from, to, tip}, in seconds.
nlohmann::json time_part_values(const CounterTable& table);
/// How busy each resource was: {arm, resource, share, tip}.
nlohmann::json bound_values(const CounterTable& table);
/// What each factor adds to the time of a launch, by part: {factor, part, from, to, sum, tip} in
/// seconds, saved time to the left of 0 and added time to the right.
nlohmann::json saving_values(const std::vector<Explained>& factors);

}  // namespace msda
