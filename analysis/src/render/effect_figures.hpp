// The values of an ablation's figures.
#pragma once

#include <nlohmann/json.hpp>

#include "ablation/ablation.hpp"

namespace msda {

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

}  // namespace msda
