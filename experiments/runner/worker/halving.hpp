// Successive halving inside a group: who has run enough blocks to know that it loses.
#pragma once

#include <cstddef>
#include <vector>

namespace msda {

/// After 1, 2, 4, 8.. blocks the slower half of the arms that are left stops, as long as `keep`
/// stay (Jamieson & Talwalkar, AISTATS 2016); keep 0 lets all run. `log_times` are the arms' mean
/// log times over those blocks; the places of those that stop are returned, in ascending order.
std::vector<std::size_t> losers(const std::vector<double>& log_times, int blocks_done, int keep);

}  // namespace msda
