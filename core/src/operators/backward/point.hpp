// A sampling point in its level, and what its gradients are made of.
#pragma once

#include <Eigen/Core>

#include <array>
#include <optional>
#include <vector>

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
struct Dots {
  std::array<double, 4> sum{};      ///< over the channels of value * gradient
  std::array<double, 4> squares{};  ///< of the squares of the products

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

  /// Of the cell whose upper left pixel is (row, column). Pixels outside the level are zero.
  Dots dots(const Plane& plane, std::int64_t row, std::int64_t column) const {
    Dots dots;
    for (std::size_t k = 0; k < dots.sum.size(); ++k) {
      const std::int64_t r = row + static_cast<std::int64_t>(k / 2);
      const std::int64_t c = column + static_cast<std::int64_t>(k % 2);
      if (!plane.has(r, c)) continue;
      add(image_ + (plane.pixel(r, c) * heads_ + head_) * channels_, dots.sum[k], dots.squares[k]);
    }
    return dots;
  }
  double squared() const { return squared_; }

 private:
  /// One pass over the channels of `pixel`, in sums that do not wait for each other: most of a
  /// verification's time is spent here.
  void add(const float* pixel, double& sum, double& squares) const {
    constexpr std::int64_t kTogether = 8;
    using Sums = Eigen::Array<double, kTogether, 1>;
    Sums sums = Sums::Zero();
    Sums of_squares = Sums::Zero();
    std::int64_t c = 0;
    for (; c + kTogether <= channels_; c += kTogether) {
      const Eigen::Map<const Eigen::Array<float, kTogether, 1>> values(pixel + c);
      const Sums products = gradient_.segment<kTogether>(c) * values.cast<double>();
      sums += products;
      of_squares += products * products;
    }
    sum = sums.sum();
    squares = of_squares.sum();
    for (; c < channels_; ++c) {
      const double product = gradient_[c] * static_cast<double>(pixel[c]);
      sum += product;
      squares += product * product;
    }
  }

  const float* image_;
  std::int64_t heads_;
  std::int64_t channels_;
  std::int64_t head_ = 0;
  double squared_ = 0;
  Eigen::ArrayXd gradient_;
};

}  // namespace msda::backward
