#include "reference/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "parallel.hpp"

namespace msda {
namespace {

constexpr double kRow = 8;      ///< standard deviations
constexpr double kElement = 8;  ///< the same
constexpr double kWhole = 1.5;  ///< times the expected error, over very many points
constexpr double kFew = 6;      ///< over the root of their number, for few

/// The variance of an error between plus and minus `largest`.
double variance(double largest) { return largest * largest / 3; }
double variance(const Rounding& rounding) { return rounding.times * variance(rounding.to.unit); }
double below_normal(const Rounding& rounding) {
  return rounding.times * variance(rounding.to.smallest);
}

}  // namespace

Bounds::Bounds(const Arithmetic& arithmetic, const Truth& truth)
    : truth_(truth),
      sums_(truth.meetings.empty() ? arithmetic.sums : arithmetic.accumulation),
      reach_(arithmetic.coordinates.times * arithmetic.coordinates.to.unit),
      normalized_reach_(arithmetic.normalized.times * arithmetic.normalized.to.unit) {
  const Rounding stored{format_of(truth.shape.type), 1};
  const double step = truth.meetings.empty() ? arithmetic.value_step : arithmetic.accumulation_step;
  coordinates_ = variance(arithmetic.coordinates);
  normalized_ = variance(arithmetic.normalized);
  fractions_ = variance(arithmetic.fraction_step / 2);
  terms_ = variance(arithmetic.weights) + variance(arithmetic.values);
  values_ = below_normal(arithmetic.weights);
  ranges_ = variance(step / 2);
  stored_ = variance(stored);
  absolute_ = below_normal(stored);
  // Of millions of rows; each range has sums of its own.
  constexpr std::int64_t kGrain = 1 << 14;
  struct Sums {
    double error = 0;
    double norm = 0;
  };
  const auto count = static_cast<std::int64_t>(truth.rows.size());
  std::vector<Sums> parts(static_cast<std::size_t>((count + kGrain - 1) / kGrain));
  parallel_for(count, kGrain, 0, [&](std::int64_t begin, std::int64_t end) {
    Sums own;
    for (std::int64_t row = begin; row < end; ++row) {
      own.error += mean_square(row);
      own.norm += truth.rows[static_cast<std::size_t>(row)].output;
    }
    parts[static_cast<std::size_t>(begin / kGrain)] = own;
  });
  double error = 0;
  double norm = 0;
  for (const Sums& part : parts) {
    error += part.error;
    norm += part.norm;
  }
  const double factor = kWhole + kFew / std::sqrt(truth.independent_points);
  relative_l2_ = norm > 0 ? factor * std::sqrt(error / norm) : 0;
}

double Bounds::additions(std::int64_t row) const {
  if (sums_.times > 0) return sums_.times;
  if (truth_.meetings.empty()) return truth_.additions;
  return truth_.meetings[static_cast<std::size_t>(row)].additions;
}

/// Partial sums grow from nothing to the whole, which is half of both on average. In a sum of many
/// terms whose signs come in runs they are larger on the way than at its end.
double Bounds::partial_sums(std::int64_t row) const {
  const RowSensitivity& s = truth_.rows[static_cast<std::size_t>(row)];
  double square = (s.terms + s.output) / 2;
  double lost = 0;
  if (!truth_.meetings.empty()) {
    const Meeting& meeting = truth_.meetings[static_cast<std::size_t>(row)];
    if (meeting.additions > 0) {
      square = std::max(square, meeting.partial_sums / meeting.additions);
    }
    for (const DTypeTraits& type : kDTypes) {
      if (type.format == sums_.to) lost = meeting.lost[static_cast<std::size_t>(type.type)];
    }
  }
  return additions(row) * variance(sums_.to.unit) * square + lost * lost;
}

double Bounds::mean_square(std::int64_t row) const {
  const RowSensitivity& s = truth_.rows[static_cast<std::size_t>(row)];
  return coordinates_ * s.coordinates + normalized_ * s.normalized + fractions_ * s.fractions +
         terms_ * s.terms + values_ * s.values + ranges_ * s.ranges + stored_ * s.output +
         partial_sums(row) + absolute_ +
         additions(row) * variance(sums_.to.smallest) * std::max(1.0, s.scale);
}

double Bounds::row(std::int64_t row, double beyond_knots) const {
  const auto elements = static_cast<double>(truth_.shape.elements);
  return kRow * std::sqrt(elements * mean_square(row) + stored_ * beyond_knots);
}

ElementBound Bounds::element(std::int64_t row) const {
  // Twice the mean share: channels of one row differ more than those of all rows together.
  const double share = 2 * truth_.unevenness[static_cast<std::size_t>(row % truth_.shape.groups)];
  const double of_size = terms_ + stored_ + additions(row) * variance(sums_.to.unit);
  return {kElement * kElement * share * mean_square(row), kElement * kElement * of_size};
}

double acceptable_error(const Problem& problem) {
  const Types& types = problem.types;
  return std::max({traits_of(types.value).acceptable_error,
                   traits_of(types.weight).acceptable_error,
                   traits_of(types.output).acceptable_error});
}

}  // namespace msda
