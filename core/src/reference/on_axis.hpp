// One coordinate of a sampling point, as rounding may move it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "reference/image.hpp"

namespace msda {

/// Closer to a pixel's centre than this, rounding may move a point into the next cell; and closer
/// than two roundings of a coordinate in fp16, which on levels of more than 32 pixels are more.
inline constexpr double kNearPixel = 1.0 / 32;
inline constexpr double kNearOfBinade = 0x1p-10;

/// The largest power of two that is no larger than a positive normal number.
inline double power_below(double number) {
  constexpr std::uint64_t kExponent = std::uint64_t{0x7FF} << 52U;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(number) & kExponent);
}

/// False so close to a pixel's centre, where the derivative jumps, that rounding may carry a point
/// across: such points tell nothing of a shift.
inline bool tells_shift(double fraction) {
  constexpr double kMargin = 1.0 / 16;
  return fraction > kMargin && fraction < 1 - kMargin;
}

/// One coordinate of a location on an axis of pixels.
struct OnAxis {
  bool counts = false;
  bool matters = false;  ///< it counts, or might after rounding
  Coordinate coordinate{0, 0};
  double binade = 0;     ///< the power of two below its largest intermediate number
  double half_size = 0;  ///< of the level along the axis, in pixels
  double near = 0;       ///< so far from a pixel's centre it may move into the next cell
  double from_knot = 0;  ///< how far behind the nearest pixel's centre, or before it

  /// `largest` is a number of pixels that the coordinate was made of.
  OnAxis(float location, std::int64_t size, float largest = 0)
      : OnAxis(at_pixel(pixels(location, size), size, largest)) {}
  /// Of a coordinate in pixels.
  static OnAxis at_pixel(double at, std::int64_t size, float largest = 0) {
    OnAxis axis;
    const auto extent = static_cast<double>(size);
    axis.half_size = extent / 2;
    axis.counts = msda::counts(at, size);
    axis.binade = power_below(
        std::max({std::abs(at), std::abs(at + 0.5), std::abs(static_cast<double>(largest))}));
    axis.near = std::clamp(axis.binade * kNearOfBinade, kNearPixel, 0.5);
    axis.matters = at > -1 - axis.near && at < extent + axis.near;
    if (!axis.matters) return axis;
    axis.coordinate = Coordinate::of(axis.counts ? at : std::clamp(at, -1.0, extent * (1 - 1e-12)));
    axis.from_knot = at - std::nearbyint(at);
    return axis;
  }

  /// The neighbour that rounding could move the point to: -1, 0 for none, or 1.
  std::int64_t neighbour() const {
    if (coordinate.fraction < near) return -1;
    return coordinate.fraction > 1 - near ? 1 : 0;
  }

 private:
  OnAxis() = default;
};

}  // namespace msda
