// The parts of a report as JSON: times in seconds, bytes and counts without prefixes.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "report/report.hpp"

namespace msda {

nlohmann::json to_json(const Ablation& ablation);
nlohmann::json to_json(const std::vector<RegimeTable>& regimes);

/// [{problem, mode, baseline, points, left, tried, seconds, winner, finalists, factors}]; the
/// candidates themselves stay in search.jsonl.
nlohmann::json to_json(const std::vector<SearchReport>& searches);

/// [{problem, mode, device, tool, arms: [{arm, bound, profiled_seconds, loads, values, prepasses,
/// bytes}], why: [{arm, over, ...}], factors: [...]}]. `values` are those that bound a kernel; all
/// that were counted are in counters.jsonl.
nlohmann::json to_json(const std::vector<CounterTable>& tables);

/// {seconds, uses: [{name, seconds}], strips: [{use, begin, end, share}]}
nlohmann::json to_json(const Timeline& timeline);

}  // namespace msda
