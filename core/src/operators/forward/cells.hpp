// Mean squares over the channels of a level's pixels, and of their differences, by cell: the square
// between four neighbouring pixels in which a point lies.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "reference/image.hpp"

namespace msda::forward {

struct Cell {
  std::array<double, 4> corners{};  ///< (0,0), (0,1), (1,0), (1,1) as row, column
  double top = 0;                   ///< (right - left)^2 of the upper two
  double bottom = 0;                ///< of the lower two
  double top_bottom = 0;            ///< the product of both differences
  double left = 0;                  ///< (lower - upper)^2 of the left two
  double right = 0;
  double left_right = 0;

  /// Of the blend's derivative with respect to x, `dy` below the upper pixels.
  double across(double dy) const { return blended(top, top_bottom, bottom, dy); }
  /// With respect to y, `dx` right of the left pixels.
  double down(double dx) const { return blended(left, left_right, right, dx); }

 private:
  static double blended(double first, double both, double second, double at) {
    return (1 - at) * (1 - at) * first + 2 * (1 - at) * at * both + at * at * second;
  }
};

/// The cells of one level and head. Pixels outside the level are zero, so a cell reaches one pixel
/// beyond each edge.
class Cells {
 public:
  Cells() = default;
  /// `image` is one image of `value` as float32, with `heads` heads of `channels` channels.
  Cells(const Plane& plane, const float* image, std::int64_t heads, std::int64_t channels,
        std::int64_t head);

  /// The cell whose upper left pixel is (row, column), from -1 to the last; an empty one elsewhere.
  const Cell& at(std::int64_t row, std::int64_t column) const {
    static const Cell kNone;
    if (row < -1 || row >= height_ || column < -1 || column >= width_) return kNone;
    return cells_[static_cast<std::size_t>((row + 1) * (width_ + 1) + column + 1)];
  }
  double largest() const { return largest_; }  ///< magnitude of a value

 private:
  std::int64_t height_ = 0;
  std::int64_t width_ = 0;
  std::vector<Cell> cells_;
  double largest_ = 0;
};

}  // namespace msda::forward
