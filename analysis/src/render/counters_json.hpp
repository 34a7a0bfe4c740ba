// Counters as JSON: times in seconds, bytes and counts without prefixes.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "counters/counter_tables.hpp"

namespace msda {

/// [{problem, mode, device, tool, arms: [{arm, bound, profiled_seconds, loads, values, prepasses,
/// bytes}], why: [{arm, over, ...}], factors: [...]}]. `values` are those that bound a kernel; all
/// that were counted are in counters.jsonl.
nlohmann::json to_json(const std::vector<CounterTable>& tables);

}  // namespace msda
