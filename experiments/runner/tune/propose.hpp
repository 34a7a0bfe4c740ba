// Which candidates to try next, given those that were measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "runner/tune/pool.hpp"
#include "runner/tune/scoreboard.hpp"
#include "tuning/effects_model.hpp"

namespace msda {

/// A model of the points of the space that have a time. Needs one.
EffectsModel model_of(const Pool& pool, const Scoreboard& board);

/// At most `count` points that were not tried: neighbours of the best ones, then those that the
/// model holds to be faster than the best or, for all it knows, may be. Empty when there is none:
/// the best is better than its neighbours, and nothing promises more.
std::vector<std::uint64_t> propose(const Pool& pool, const Scoreboard& board, std::size_t count,
                                   std::mt19937_64& random);

}  // namespace msda
