// What rounding does to the gradients of a single point: that of its weight, and those of its
// coordinates. The four dots of a gradient with the corners of a cell say all of both.
#pragma once

#include <cmath>
#include <functional>
#include <optional>

#include "operators/backward/point.hpp"
#include "operators/backward/points.hpp"
#include "reference/on_axis.hpp"
#include "reference/truth.hpp"

namespace msda::backward {

/// The dots of the row's gradient with the pixels of a point's cell and with those one further
/// away, each computed once.
class DotsAround {
 public:
  DotsAround(const RowOfGradient& gradient, const Plane& plane, std::int64_t row,
             std::int64_t column)
      : gradient_(gradient), plane_(plane), row_(row), column_(column) {}

  /// Of the cell that is so many to the right and below the point's: -1, 0 or 1 each.
  Dots of_cell(std::int64_t right, std::int64_t below);

 private:
  static constexpr std::size_t kWide = 4;  ///< pixels around a cell, from one before it on

  const RowOfGradient& gradient_;
  const Plane& plane_;
  std::int64_t row_;
  std::int64_t column_;
  std::uint32_t known_ = 0;  ///< a bit for each pixel
  std::array<double, kWide * kWide> sums_;
  std::array<double, kWide * kWide> squares_;
};

/// A point that counts, or might after rounding.
struct NearPoint {
  const Plane& plane;
  const RowOfGradient& gradient;
  DotsAround& around;
  OnAxis x;
  OnAxis y;
  double weight;
  double weight_error;  ///< PointList::weight_errors
  double largest;       ///< magnitude of a value of its image, head and level
  std::int64_t number;  ///< among all points
  std::size_t level;

  bool counts() const { return x.counts && y.counts; }
  /// False for one that is no number, which has no bound either.
  bool has_weight() const { return !std::isnan(weight); }
  Tap tap() const {
    return {y.coordinate.pixel, x.coordinate.pixel, x.coordinate.fraction, y.coordinate.fraction};
  }
  /// Of the cell that is so many to the right and below.
  Dots dots(std::int64_t right = 0, std::int64_t below = 0) const {
    return around.of_cell(right, below);
  }
};

/// Calls body(point, chunk) for all points that matter. Different chunks, of chunks(problem), may
/// have their turns at the same time; a chunk has whole rows, whose points come one after the
/// other.
void for_near_points(const Operands& operands, unsigned threads,
                     const std::function<void(const NearPoint&, std::size_t chunk)>& body);
std::size_t chunks(const Problem& problem);

/// Of the gradient of a point's weight.
RowSensitivity weight_sensitivity(const NearPoint& point);

/// Of two elements: the gradients of a point's coordinates in pixels times `factor_x` and
/// `factor_y`.
RowSensitivity pixel_sensitivity(const NearPoint& point, double factor_x, double factor_y);

/// The knot beside a point on one axis, unless it is too far away. Of its gradient in pixels.
struct KnotBeside {
  double own;
  double other;  ///< on the other side
  double reach;  ///< as Knot has both, 0 on the knot
  double normalized_reach;
};
std::optional<KnotBeside> knot_beside(const NearPoint& point, bool along_x);

}  // namespace msda::backward
