// Which factors of a space decide about a function of its points, time above all: shares of the
// function's variance, as Sobol's indices of first order and in total (Saltelli et al., Comput.
// Phys. Commun. 181, 2010), for spaces in which a parameter belongs to some alternatives only and
// rules remove points.
#pragma once

#include <functional>
#include <vector>

#include "design/space.hpp"

namespace msda {

/// Each from 0 to 1. `own` and `total` are parts of the variance over the points where the factor
/// exists: a parameter does where one of its alternatives is chosen, other factors do everywhere.
/// Where rules, or the values that alternatives allow, tie factors together, `own` can be more.
struct FactorShares {
  double own = 0;           ///< of the factor by itself: of the means of its levels
  double total = 0;         ///< with its interactions: what is left when all else is fixed
  double total_of_all = 0;  ///< `total` as a part of the variance over all points
  bool everywhere = true;   ///< whether the factor exists in all points
};

/// One for each factor, over the points that the rules allow: all of them in a small space, else a
/// sample that is the same each time. Zeros where `value` does not vary.
///
/// All else that is fixed, of an alternative: the other decisions, and those of its parameters
/// that every alternative has with the same values; over its other parameters the mean is taken.
std::vector<FactorShares> factor_shares(const SearchSpace& space,
                                        const std::function<double(const Levels&)>& value);

}  // namespace msda
