#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "ablation/ablation.hpp"
#include "ablation/regimes.hpp"

namespace msda {

nlohmann::json to_json(const Ablation& ablation);
nlohmann::json to_json(const std::vector<RegimeTable>& regimes);

}  // namespace msda
