#include "compose/coarser.hpp"

#include <algorithm>
#include <cmath>

namespace msda {
namespace {

double times_of(const Rounding& rounding, double corners) {
  return rounding.times == 0 ? corners : rounding.times;
}

/// The one that adds more to the square of an error, a sum of all corners having `corners` of them.
/// Below the normal numbers the other one may be the coarser, and stays so.
Rounding coarser(const Rounding& a, const Rounding& b, double corners) {
  const auto added = [&](const Rounding& one, double size) {
    return times_of(one, corners) * size * size;
  };
  Rounding most = added(a, a.to.unit) < added(b, b.to.unit) ? b : a;
  const double below = std::max(added(a, a.to.smallest), added(b, b.to.smallest));
  const double times = times_of(most, corners);
  if (below > added(most, most.to.smallest) && times > 0) {
    most.to.smallest = std::sqrt(below / times);
  }
  return most;
}

}  // namespace

Arithmetic coarser(const Arithmetic& a, const Arithmetic& b, const Problem& problem) {
  const auto corners = static_cast<double>(4 * problem.row_points());
  return {.coordinates = coarser(a.coordinates, b.coordinates, 0),
          .normalized = coarser(a.normalized, b.normalized, 0),
          .fraction_step = std::max(a.fraction_step, b.fraction_step),
          .weights = coarser(a.weights, b.weights, 0),
          .values = coarser(a.values, b.values, 0),
          .value_step = std::max(a.value_step, b.value_step),
          .sums = coarser(a.sums, b.sums, corners),
          .accumulation = coarser(a.accumulation, b.accumulation, corners),
          .accumulation_step = std::max(a.accumulation_step, b.accumulation_step)};
}

}  // namespace msda
