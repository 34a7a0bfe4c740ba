// A fraction of a space for a first look: few points in which every pair of levels of two factors
// occurs about equally often, so that main effects and interactions can be told apart. Regular
// fractions exist for two-level factors alone; for factors of any number of levels, with rules and
// parameters of some alternatives only, the points are chosen greedily, as for covering arrays
// (Cohen, Dalal, Fredman & Patton, IEEE Trans. Softw. Eng. 23(7), 1997).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "runner/tune/pool.hpp"

namespace msda {

/// A point that can run, drawn evenly; nullopt when many draws find none.
std::optional<std::uint64_t> draw(const Pool& pool, std::mt19937_64& random);

/// At most `count` different points; the same for the same state of `random`.
std::vector<std::uint64_t> screening_points(const Pool& pool, std::size_t count,
                                            std::mt19937_64& random);

/// How many points a first look needs: two for each level of each factor.
std::size_t screening_size(const SearchSpace& space);

}  // namespace msda
