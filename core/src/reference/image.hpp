// One image of an input as the definition of the operator sees it: levels of pixels, and points on
// them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "input/elements.hpp"
#include "input/input.hpp"
#include "parallel.hpp"

namespace msda {

/// One image of a tensor as float32, which holds every storage type exactly. fp32 tensors are used
/// in place; others are converted into a buffer that is reused from image to image.
class ImageValues {
 public:
  /// `value` is [B, S, H, C] of the problem's value type and must outlive the object.
  ImageValues(const Problem& problem, const Bytes& value)
      : ImageValues(problem.types.value, problem.spatial_size() * problem.heads * problem.channels,
                    value) {}
  /// `tensor` has `elements` elements of an image and must outlive the object.
  ImageValues(DType type, std::int64_t elements, const Bytes& tensor)
      : type_(type), value_(tensor), elements_(elements) {}

  const float* load(std::int64_t image, unsigned threads) {
    if (type_ == kWidest) {
      return reinterpret_cast<const float*>(value_.data()) + image * elements_;
    }
    constexpr std::int64_t kGrain = 1 << 15;
    buffer_.resize(static_cast<std::size_t>(elements_));
    parallel_for(elements_, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
      load_floats(type_, value_.data(), image * elements_ + begin,
                  std::span(buffer_).subspan(static_cast<std::size_t>(begin),
                                             static_cast<std::size_t>(end - begin)));
    });
    return buffer_.data();
  }

 private:
  DType type_;
  const Bytes& value_;
  std::int64_t elements_;
  std::vector<float> buffer_;
};

/// Where the inner pixels of one level lie in an image of `value`.
struct Plane {
  std::int64_t height;
  std::int64_t width;
  std::int64_t pitch;   ///< stored pixels from row to row
  std::int64_t origin;  ///< stored pixel of the inner pixel (0, 0)

  bool has(std::int64_t row, std::int64_t column) const {
    return row >= 0 && row < height && column >= 0 && column < width;
  }
  std::int64_t pixel(std::int64_t row, std::int64_t column) const {
    return origin + row * pitch + column;
  }
};

inline std::vector<Plane> planes_of(const Problem& problem) {
  const std::int64_t border = problem.layout == ValueLayout::kZeroBorder ? 1 : 0;
  const std::vector<std::int64_t> starts = problem.level_starts();
  std::vector<Plane> planes;
  for (std::size_t l = 0; l < problem.levels.size(); ++l) {
    const std::int64_t pitch = problem.level_pitch(l);
    planes.push_back({problem.levels[l].height, problem.levels[l].width, pitch,
                      starts[l] + border * pitch + border});
  }
  return planes;
}

/// The pixel coordinate of a location on an axis of `size` pixels.
inline double pixels(float location, std::int64_t size) {
  return static_cast<double>(location) * static_cast<double>(size) - 0.5;
}

/// Whether a point at this coordinate counts; false for NaN.
inline bool counts(double at, std::int64_t size) {
  return at > -1 && at < static_cast<double>(size);
}

/// The pixel before a coordinate that counts, and how far the point is from it.
struct Coordinate {
  std::int64_t pixel;
  double fraction;

  /// From -1 on.
  static Coordinate of(double at) {
    const auto pixel = static_cast<std::int64_t>(at + 1) - 1;  // std::floor() without a call
    return {pixel, at - static_cast<double>(pixel)};
  }
};

/// Calls body(head, first, last) for the queries [first, last) of each head of an image, one head
/// after the other: what all threads read of the image at a time is one head's.
template <class Body>
void for_each_head(const Problem& problem, unsigned threads, const Body& body) {
  constexpr std::int64_t kGrain = 256;
  const std::int64_t ranges = (problem.queries + kGrain - 1) / kGrain;
  parallel_for(problem.heads * ranges, 1, threads, [&](std::int64_t range, std::int64_t) {
    const std::int64_t first = range % ranges * kGrain;
    body(range / ranges, first, std::min(problem.queries, first + kGrain));
  });
}

/// The points of row `row` = (b*Q + q)*H + h as float32: [L, P, 2] and [L, P].
struct RowPoints {
  /// The tensors are [B, Q, H, L, P, 2] and [B, Q, H, L, P] and must outlive the object.
  RowPoints(const Problem& problem, const Bytes& all_locations, const Bytes& all_weights)
      : count(problem.row_points()),
        weights(static_cast<std::size_t>(count)),
        locations(static_cast<std::size_t>(2 * count)),
        types_(problem.types),
        all_locations_(all_locations),
        all_weights_(all_weights) {}

  void load(std::int64_t row) {
    load_floats(types_.weight, all_weights_.data(), row * count, weights);
    load_floats(types_.location, all_locations_.data(), 2 * row * count, locations);
  }

  std::int64_t count;
  std::vector<float> weights;
  std::vector<float> locations;

 private:
  Types types_;
  const Bytes& all_locations_;
  const Bytes& all_weights_;
};

}  // namespace msda
