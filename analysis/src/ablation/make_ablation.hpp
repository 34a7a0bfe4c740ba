#pragma once

#include <vector>

#include "ablation/ablation.hpp"
#include "ablation/regimes.hpp"
#include "statistics/table.hpp"

namespace msda {

/// The effects of the design's factors in every table, and over tables of one mode.
Ablation make_ablation(Design design, const std::vector<Table>& tables);

/// One for each problem with tables in more than one mode.
std::vector<RegimeTable> compare_regimes(const std::vector<Table>& tables);

}  // namespace msda
