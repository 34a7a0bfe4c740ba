// The values of the roofline figure.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "statistics/table.hpp"

namespace msda {

/// An entry {problem, arm, reuse, rate, best, tip} for each arm with a time, `best` where it is the
/// fastest of its problem, and entries {reuse, rate} along the roof: the rate at which bytes of
/// `value` are gathered, at most the gather ceiling and at most `reuse` (bytes gathered for each
/// byte that has to come from DRAM) times the DRAM ceiling. Empty where no ceilings are known or
/// nothing has a time.
nlohmann::json roofline_values(const std::vector<const Table*>& tables);

}  // namespace msda
