// The operator in float64 with roundings put in by hand, and mistakes: what a kernel of any
// arithmetic gives, without the kernel.
#pragma once

#include <Eigen/Core>

#include <cmath>
#include <functional>
#include <vector>

#include <msda/arithmetic.hpp>

#include <msda/operators/forward.hpp>
#include "input/elements.hpp"
#include "input/input.hpp"
#include "reference/image.hpp"

namespace msda {

inline double rounded(double x, const Format& to) {
  if (to == kFp32) return static_cast<float>(x);
  if (to == kFp16) return static_cast<float>(static_cast<Eigen::half>(static_cast<float>(x)));
  if (to == kBf16) return static_cast<float>(static_cast<Eigen::bfloat16>(static_cast<float>(x)));
  if (to == kE4m3 && x != 0) {
    const double step = std::exp2(std::max(std::floor(std::log2(std::abs(x))) - 3, -9.0));
    return std::nearbyint(x / step) * step;
  }
  return x;
}

/// A location in pixels.
inline double coordinate(const Arithmetic& arithmetic, float location, std::int64_t size) {
  const auto extent = static_cast<double>(size);
  if (const Format& to = arithmetic.normalized.to; to != kExact) {
    const double number = rounded(2 * rounded(location, to) - 1, to);
    return rounded(rounded(rounded(number + 1, to) * extent, to) - 1, to) / 2;
  }
  const Format& to = arithmetic.coordinates.to;
  if (to == kFp32) return std::fmaf(location, static_cast<float>(size), -0.5F);
  return rounded(rounded(rounded(location, to) * extent, to) - 0.5, to);
}

/// What is wrong with an emulated kernel.
struct Mistake {
  double shift_x = 0;           ///< pixels
  double shift_y = 0;           ///< pixels
  int shifted_level = -1;       ///< -1: all
  bool swaps_corners = false;   ///< upper right and lower left
  std::int64_t size_error = 0;  ///< added to each level's width where locations become pixels
};

class Emulation {
 public:
  Emulation(const Input& input, const Arithmetic& arithmetic, const Mistake& mistake = {})
      : input_(input),
        problem_(input.problem),
        arithmetic_(arithmetic),
        mistake_(mistake),
        planes_(planes_of(problem_)) {
    find_ranges();
  }

  /// [B, Q, H, C] as stored.
  Bytes run() const {
    const std::int64_t rows = problem_.batch * problem_.queries * problem_.heads;
    Bytes output(static_cast<std::size_t>(elements(problem_, forward::kOutput)) *
                 size_of(problem_.types.output));
    RowPoints points(problem_, input_.tensors[forward::kLocations],
                     input_.tensors[forward::kWeights]);
    for (std::int64_t row = 0; row < rows; ++row) {
      points.load(row);
      std::vector<float> sums(static_cast<std::size_t>(problem_.channels));
      for (std::int64_t c = 0; c < problem_.channels; ++c) {
        sums[static_cast<std::size_t>(c)] = static_cast<float>(element(points, row, c));
      }
      store_floats(problem_.types.output, sums, output.data(), row * problem_.channels);
    }
    return output;
  }

 private:
  /// Sums in batches that go on in float32.
  class Sum {
   public:
    explicit Sum(const Rounding& rounding) : rounding_(rounding) {}
    void add(double term) {
      batch_ = rounded(batch_ + term, rounding_.to);
      if (rounding_.times == 0 || ++count_ < rounding_.times) return;
      flush();
    }
    double total() {
      flush();
      return whole_;
    }

   private:
    void flush() {
      whole_ = rounded(whole_ + batch_, kFp32);
      batch_ = count_ = 0;
    }
    Rounding rounding_;
    double batch_ = 0;
    double whole_ = 0;
    double count_ = 0;
  };

  double element(const RowPoints& points, std::int64_t row, std::int64_t channel) const {
    Sum sum(arithmetic_.sums);
    for (std::int64_t p = 0; p < points.count; ++p) {
      const auto i = static_cast<std::size_t>(p);
      add_point(static_cast<std::size_t>(p / problem_.points), row, channel,
                points.locations[2 * i], points.locations[2 * i + 1], points.weights[i], sum);
    }
    return sum.total();
  }

  double fraction(double at) const {
    const double step = arithmetic_.fraction_step;
    return step > 0 ? std::nearbyint(at / step) * step : at;
  }

  void add_point(std::size_t level, std::int64_t row, std::int64_t channel, float location_x,
                 float location_y, float attention, Sum& sum) const {
    const Plane& plane = planes_[level];
    double x = coordinate(arithmetic_, location_x, plane.width + mistake_.size_error);
    double y = coordinate(arithmetic_, location_y, plane.height);
    if (mistake_.shifted_level < 0 || mistake_.shifted_level == static_cast<int>(level)) {
      x += mistake_.shift_x;
      y += mistake_.shift_y;
    }
    if (!counts(x, plane.width) || !counts(y, plane.height)) return;
    const auto [column, at_x] = Coordinate::of(x);
    const auto [line, at_y] = Coordinate::of(y);
    const double dx = fraction(at_x);
    const double dy = fraction(at_y);
    double weights[4] = {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx};
    if (mistake_.swaps_corners) std::swap(weights[1], weights[2]);
    for (std::int64_t k = 0; k < 4; ++k) {
      const double weight =
          rounded(weights[k] * static_cast<double>(attention), arithmetic_.weights.to);
      sum.add(weight * value(level, row, channel, line + k / 2, column + k % 2));
    }
  }

  double stored(std::int64_t image, std::int64_t head, std::int64_t channel,
                std::int64_t pixel) const {
    const std::int64_t at =
        ((image * problem_.spatial_size() + pixel) * problem_.heads + head) * problem_.channels +
        channel;
    return load_element(problem_.types.value, input_.at("value").data(), at);
  }

  double value(std::size_t level, std::int64_t row, std::int64_t channel, std::int64_t line,
               std::int64_t column) const {
    const Plane& plane = planes_[level];
    if (!plane.has(line, column)) return 0;
    const std::int64_t head = row % problem_.heads;
    const std::int64_t image = row / problem_.heads / problem_.queries;
    const double v = stored(image, head, channel, plane.pixel(line, column));
    if (arithmetic_.value_step == 0) return v;
    const double range = range_of(image, head, level);
    if (arithmetic_.values.times > 0) {
      return rounded(v / range * 448, arithmetic_.values.to) * range / 448;
    }
    const double step = arithmetic_.value_step * range;
    return std::nearbyint(v / step) * step;
  }

  double& range_of(std::int64_t image, std::int64_t head, std::size_t level) const {
    return ranges_[static_cast<std::size_t>(image * problem_.heads + head) * planes_.size() +
                   level];
  }

  void find_ranges() {
    ranges_.assign(static_cast<std::size_t>(problem_.batch * problem_.heads) * planes_.size(), 0);
    for (std::int64_t image = 0; image < problem_.batch; ++image) {
      for (std::int64_t head = 0; head < problem_.heads; ++head) {
        for (std::size_t l = 0; l < planes_.size(); ++l) {
          for (std::int64_t i = 0; i < planes_[l].height * planes_[l].width; ++i) {
            const std::int64_t pixel = planes_[l].pixel(i / planes_[l].width, i % planes_[l].width);
            for (std::int64_t c = 0; c < problem_.channels; ++c) {
              double& range = range_of(image, head, l);
              range = std::max(range, std::abs(stored(image, head, c, pixel)));
            }
          }
        }
      }
    }
  }

  const Input& input_;
  const Problem& problem_;
  Arithmetic arithmetic_;
  Mistake mistake_;
  std::vector<Plane> planes_;
  mutable std::vector<double> ranges_;
};

}  // namespace msda
