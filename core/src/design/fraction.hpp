// Regular fractions of two-level factorial designs (Box, Hunter & Hunter, Statistics for
// Experimenters, ch. 6). Some factors run through all combinations; each other one is a product of
// those. The sign is chosen so that the base, with all factors off, is always in the fraction.
#pragma once

#include <cstdint>
#include <vector>

#include "design/design.hpp"

namespace msda {

/// A set of factors, factor i as bit i.
using Word = std::uint32_t;

inline constexpr std::size_t kMostFractionFactors = 12;

/// Factor `factor` is on where an odd number of the factors in `word` is on.
struct Generator {
  std::size_t factor = 0;
  Word word = 0;
};

/// Generators for the smallest fraction of at least this resolution; of its size, one of the
/// highest resolution. Empty when only the full factorial has it. Throws UsageError for more than
/// kMostFractionFactors factors or a resolution below 3.
std::vector<Generator> find_generators(std::size_t factors, int resolution);

/// All combinations of the other factors, with the generated ones following.
std::vector<Levels> fraction_points(std::size_t factors, const std::vector<Generator>& generators);

/// Resolution (length of the shortest defining word; factors + 1 for the full factorial), defining
/// relation and aliases of the main effects and two-factor interactions with each other and, for
/// main effects, with words of up to four letters.
Fraction describe_fraction(std::size_t factors, const std::vector<Generator>& generators);

}  // namespace msda
