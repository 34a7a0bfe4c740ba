// The values that figures draw, as lists of objects; empty where there is nothing to draw.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "report/report.hpp"

namespace msda {

/// Rows of one table, with a time.
using Rows = std::vector<const Row*>;

/// {arm, speedup, low, high, verdict, tip}
nlohmann::json speedup_values(const Rows& rows);
/// {arm, time, unit, error, front, tip}; times in the table's unit; `front`: no other row is both
/// faster and more accurate.
nlohmann::json pareto_values(const Rows& rows);
/// {arm, share, tip}, where ceilings are known.
nlohmann::json sol_values(const Rows& rows);
/// {arm, unit, times, q1, q3, median, tip}, all in the unit; `times` are samples, evenly thinned.
nlohmann::json sample_values(const Rows& rows);
/// {arm, index, process, deviation, tip}; blocks stand at the same index in all arms.
nlohmann::json block_values(const Rows& rows);

/// An entry {problem, arm, reuse, rate, best, tip} for each arm with a time, `best` where it is the
/// fastest of its problem, and entries {reuse, rate} along the roof: the rate at which bytes of
/// `value` are gathered, at most the gather ceiling and at most `reuse` (bytes gathered for each
/// byte that has to come from DRAM) times the DRAM ceiling. Empty where no ceilings are known or
/// nothing has a time.
nlohmann::json roofline_values(const std::vector<const Table*>& tables);

/// Add-one, leave-one-out and main effects: {factor, way, ratio, low, high, tip}.
nlohmann::json effect_values(const AblationTable& table);
/// Steps of the ladder and the total: {factor, from, to, verdict, tip}, as speed-ups over the base.
nlohmann::json ladder_values(const AblationTable& table);
/// {factor, share, tip}
nlohmann::json shapley_values(const AblationTable& table);
/// {first, second, ratio, tip}, each pair once.
nlohmann::json interaction_values(const AblationTable& table);

/// {factor, problem, ratio, tip}; empty for a kind that is not the worth of a factor.
nlohmann::json problem_values(const PooledFamily& family);

/// {arm, key, unit, value, time, ratio, tip} of the arms that are the fastest on average, in the
/// first mode; `time` in `unit`. Empty where problems are no sweep.
nlohmann::json sweep_values(const Report& report);

/// The candidates with a time in order: {rank, cost, stage, tip}, evenly thinned.
nlohmann::json landscape_values(const SearchReport& search);
/// The best so far: {seconds, gain, tip}.
nlohmann::json search_progress_values(const SearchReport& search);
/// What a level costs: {factor, level, way, cost, tip}.
nlohmann::json level_values(const SearchReport& search);

/// What the time of each arm's profiled launch goes into: {arm, part, from, to, tip}, in seconds.
nlohmann::json time_part_values(const CounterTable& table);
/// How busy each resource was: {arm, resource, share, tip}.
nlohmann::json bound_values(const CounterTable& table);
/// What each factor adds to the time of a launch, by part: {factor, part, from, to, sum, tip} in
/// seconds, saved time to the left of 0 and added time to the right.
nlohmann::json saving_values(const std::vector<Explained>& factors);

/// What a run did when: {use, begin, end, share, tip}, times in seconds since the run's begin.
nlohmann::json timeline_values(const Timeline& timeline);

}  // namespace msda
