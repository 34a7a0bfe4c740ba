// The combinations of levels that a design asks for, before anyone knows which of them can run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "design/design.hpp"

namespace msda {

inline constexpr std::size_t kMostCombinations = 4096;

/// The base first, then each level of each factor alone.
std::vector<Levels> add_one_points(const std::vector<Factor>& factors);
/// The base, everything on, then everything without each factor.
std::vector<Levels> leave_one_out_points(const std::vector<Factor>& factors);
/// The base, then one factor of the order on after the other.
std::vector<Levels> ladder_points(const std::vector<Factor>& factors,
                                  const std::vector<std::size_t>& order);
/// Every combination, the base first; the first factor changes fastest. Throws UsageError for more
/// than kMostCombinations.
std::vector<Levels> full_points(const std::vector<Factor>& factors);

/// The order of the factors itself, then `random` different random ones, as far as there are that
/// many; the same for the same seed on every machine.
std::vector<std::vector<std::size_t>> ladder_orders(std::size_t factors, std::size_t random,
                                                    std::uint64_t seed);
/// The base and everything on where they are among `points`, and `count` others drawn with the
/// seed, in their old order.
std::vector<Levels> random_subset(const std::vector<Factor>& factors, std::vector<Levels> points,
                                  std::size_t count, std::uint64_t seed);

/// Every factor at the level that counts as on.
Levels all_on(const std::vector<Factor>& factors);

}  // namespace msda
