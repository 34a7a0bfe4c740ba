// A sampling point in its level, and what its gradients are made of.
#pragma once

#include <Eigen/Core>

#include <array>
#include <optional>
#include <vector>

#include "operators/backward/channels.hpp"
#include "reference/image.hpp"

namespace msda::backward {

/// The cell that a point lies in, the square between four pixels, and where in it.
struct Tap {
  std::int64_t row;     ///< of the upper pixels, from -1
  std::int64_t column;  ///< of the left pixels, from -1
  double dx;            ///< right of the left pixels
  double dy;            ///< below the upper ones

  /// Of coordinates in pixels; nothing where the point does not count.
  static std::optional<Tap> of(const Plane& plane, double x, double y) {
    if (!counts(x, plane.width) || !counts(y, plane.height)) return std::nullopt;
    const auto [column, dx] = Coordinate::of(x);
    const auto [row, dy] = Coordinate::of(y);
    return Tap{row, column, dx, dy};
  }
  /// Of the corners (0,0), (0,1), (1,0), (1,1) as row, column.
  std::array<double, 4> shares() const {
    return {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx};
  }
};

/// Products of the gradient of an output row with the values of a cell's corners.
struct Dots : PixelDots {
  double blended(const Tap& tap) const {
    const std::array<double, 4> share = tap.shares();
    return share[0] * sum[0] + share[1] * sum[1] + share[2] * sum[2] + share[3] * sum[3];
  }
  /// The blend's derivative with respect to x, in pixels.
  double across(double dy) const { return (1 - dy) * (sum[1] - sum[0]) + dy * (sum[3] - sum[2]); }
  double down(double dx) const { return (1 - dx) * (sum[2] - sum[0]) + dx * (sum[3] - sum[1]); }
  /// The derivative of both with respect to the other coordinate.
  double twist() const { return sum[0] - sum[1] - sum[2] + sum[3]; }
};

/// One image of `value` with the gradient of a row of the output.
class RowOfGradient {
 public:
  RowOfGradient(const Problem& problem, const float* image)
      : image_(image), heads_(problem.heads), channels_(problem.channels) {}

  /// `gradient` are the channels of one row, of this head.
  void load(const float* gradient, std::int64_t head) {
    gradient_ = Eigen::Map<const Eigen::ArrayXf>(gradient, channels_).cast<double>();
    squared_ = gradient_.square().sum();
    head_ = head;
  }

  /// The channels of pixel (row, column); null outside the level.
  const float* pixel(const Plane& plane, std::int64_t row, std::int64_t column) const {
    if (!plane.has(row, column)) return nullptr;
    return image_ + (plane.pixel(row, column) * heads_ + head_) * channels_;
  }
  /// Brings the pixels of a cell near, which are asked for soon.
  void fetch(const Plane& plane, std::int64_t row, std::int64_t column) const {
    constexpr std::int64_t kLine = 16;  // floats
    for (const std::int64_t k : {0, 1, 2, 3}) {
      const float* const from = pixel(plane, row + k / 2, column + k % 2);
      for (std::int64_t c = 0; from != nullptr && c < channels_; c += kLine) {
        __builtin_prefetch(from + c);
      }
    }
  }
  /// Of the cell whose upper left pixel is (row, column), without the squares.
  Dots sums(const Plane& plane, std::int64_t row, std::int64_t column) const {
    return {sums_of(gradient_.data(),
                    {pixel(plane, row, column), pixel(plane, row, column + 1),
                     pixel(plane, row + 1, column), pixel(plane, row + 1, column + 1)},
                    channels_)};
  }
  /// Of single pixels.
  PixelDots dots(const std::array<const float*, 4>& pixels) const {
    return dots_of(gradient_.data(), pixels, channels_);
  }
  double squared() const { return squared_; }

 private:
  const float* image_;
  std::int64_t heads_;
  std::int64_t channels_;
  std::int64_t head_ = 0;
  double squared_ = 0;
  Eigen::ArrayXd gradient_;
};

}  // namespace msda::backward
