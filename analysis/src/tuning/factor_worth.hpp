#pragma once

#include <vector>

#include "tuning/landscape.hpp"

namespace msda {

/// What each factor and level was worth in a search, from the candidates that have a time;
/// `reference` is the point that costs are relative to. Empty without a point that has a time.
std::vector<FactorWorth> factor_worths(const SearchSpace& space,
                                       const std::vector<TriedCandidate>& tried,
                                       const TriedCandidate& reference);

}  // namespace msda
