// One image of values, sampled in float64 as the operator `forward` is defined.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <vector>

#include "reference/image.hpp"

namespace msda::forward {

/// The sum over one query's points of one image, written as the operator is defined.
class Sampler {
 public:
  Sampler(const Problem& problem, const float* image)
      : planes_(planes_of(problem)),
        image_(image),
        heads_(problem.heads),
        channels_(problem.channels),
        zeros_(static_cast<std::size_t>(channels_), 0.0F) {
    for (std::size_t l = 0; l < planes_.size(); ++l) points_.push_back(problem.points_of(l));
  }

  /// out[c] += sum over l, p for one head. `locations` is [row's points, 2], `weights` has one of
  /// each.
  void accumulate(std::int64_t head, const float* locations, const float* weights,
                  double* out) const {
    for (std::size_t level = 0; level < planes_.size(); ++level) {
      const Plane& plane = planes_[level];
      for (std::int64_t point = 0; point < points_[level]; ++point) {
        const double x = pixels(*locations++, plane.width);
        const double y = pixels(*locations++, plane.height);
        add_point(plane, head, x, y, static_cast<double>(*weights++), out);
      }
    }
  }

  /// out[c] += the point's term; x and y in pixels of the level.
  void add_point(const Plane& plane, std::int64_t head, double x, double y, double weight,
                 double* out) const {
    if (!counts(x, plane.width) || !counts(y, plane.height)) return;
    const auto [column, dx] = Coordinate::of(x);
    const auto [row, dy] = Coordinate::of(y);
    Eigen::Map<Eigen::ArrayXd> sum(out, channels_);
    sum += weight * (1 - dy) * (1 - dx) * corner(plane, head, row, column).cast<double>() +
           weight * (1 - dy) * dx * corner(plane, head, row, column + 1).cast<double>() +
           weight * dy * (1 - dx) * corner(plane, head, row + 1, column).cast<double>() +
           weight * dy * dx * corner(plane, head, row + 1, column + 1).cast<double>();
  }

 private:
  using Channels = Eigen::Map<const Eigen::ArrayXf>;

  /// The channels of a pixel; zeros outside the level.
  Channels corner(const Plane& plane, std::int64_t head, std::int64_t row,
                  std::int64_t column) const {
    const std::int64_t at = (plane.pixel(row, column) * heads_ + head) * channels_;
    return {plane.has(row, column) ? image_ + at : zeros_.data(), channels_};
  }

  std::vector<Plane> planes_;
  const float* image_;
  std::int64_t heads_;
  std::int64_t channels_;
  std::vector<std::int64_t> points_;  ///< by level
  std::vector<float> zeros_;
};

}  // namespace msda::forward
