// A kernel for the gradients whose arithmetic and mistakes are chosen.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>

#include "gradients.hpp"
#include "operators/backward/point.hpp"
#include "reference/emulation.hpp"

namespace msda {

/// What is wrong with an emulated kernel of the gradients.
struct GradientMistake {
  double shift_x = 0;               ///< pixels
  bool swaps_corners = false;       ///< of grad_value: upper right and lower left
  std::int64_t loses_point = -1;    ///< its contributions to grad_value
  bool forgets_size = false;        ///< the factor W of grad_sampling_locations
  bool is_never_cleared = false;    ///< grad_value begins with its own result
  bool lies_left_of_knots = false;  ///< the cell of a point on a knot is the one before it
};

class GradientEmulation {
 public:
  GradientEmulation(const Input& input, const Arithmetic& arithmetic,
                    const GradientMistake& mistake = {}, unsigned order = 1)
      : input_(input),
        problem_(input.problem),
        arithmetic_(arithmetic),
        mistake_(mistake),
        planes_(planes_of(problem_)),
        sums_(count(backward::kGradValue), 0.0),
        locations_(count(backward::kGradLocations), 0.0F),
        weights_(count(backward::kGradWeights), 0.0F) {
    const std::int64_t rows = problem_.batch * problem_.queries * problem_.heads;
    std::vector<std::int64_t> order_of_rows(static_cast<std::size_t>(rows));
    std::iota(order_of_rows.begin(), order_of_rows.end(), std::int64_t{0});
    if (order > 0) std::ranges::shuffle(order_of_rows, std::mt19937(order));
    find_scale();
    for (int turn = 0; turn < (mistake_.is_never_cleared ? 2 : 1); ++turn) {
      for (const std::int64_t row : order_of_rows) add_row(row);
    }
  }

  /// The three outputs as stored.
  std::vector<Bytes> outputs() const {
    std::vector<float> sums(sums_.begin(), sums_.end());
    return {make_tensor(problem_.types.value, sums),
            make_tensor(problem_.types.location, locations_),
            make_tensor(problem_.types.weight, weights_)};
  }

 private:
  std::size_t count(backward::Tensor tensor) const {
    return static_cast<std::size_t>(backward::elements(problem_, tensor));
  }

  /// From the largest contribution.
  void find_scale() {
    const std::vector<double> weights = doubles_of(input_, "weights");
    const std::vector<double> gradients = doubles_of(input_, "grad_output");
    const auto per_row = static_cast<std::size_t>(problem_.level_count() * problem_.points);
    const auto channels = static_cast<std::size_t>(problem_.channels);
    double largest = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t c = 0; c < channels; ++c) {
        largest = std::max(largest, std::abs(weights[i] * gradients[i / per_row * channels + c]));
      }
    }
    step_ = arithmetic_.accumulation_step * largest;
  }

  void add_row(std::int64_t row) {
    RowPoints points(problem_, input_.tensors[backward::kLocations],
                     input_.tensors[backward::kWeights]);
    points.load(row);
    gradient_.resize(static_cast<std::size_t>(problem_.channels));
    load_floats(problem_.types.output, input_.tensors[backward::kGradOutput].data(),
                row * problem_.channels, gradient_);
    for (std::int64_t p = 0; p < points.count; ++p) {
      const auto i = static_cast<std::size_t>(p);
      add_point(row, p, points.locations[2 * i], points.locations[2 * i + 1], points.weights[i]);
    }
  }

  std::size_t element(std::int64_t row, const Plane& plane, std::int64_t line,
                      std::int64_t column) const {
    const std::int64_t image = row / problem_.heads / problem_.queries;
    return static_cast<std::size_t>(
        ((image * problem_.spatial_size() + plane.pixel(line, column)) * problem_.heads +
         row % problem_.heads) *
        problem_.channels);
  }

  void add_point(std::int64_t row, std::int64_t p, float location_x, float location_y,
                 float attention) {
    const Plane& plane = planes_[static_cast<std::size_t>(p / problem_.points)];
    const double x = coordinate(arithmetic_, location_x, plane.width) + mistake_.shift_x;
    const double y = coordinate(arithmetic_, location_y, plane.height);
    if (!counts(x, plane.width) || !counts(y, plane.height)) return;
    auto [column, dx] = Coordinate::of(x);
    const auto [line, dy] = Coordinate::of(y);
    if (mistake_.lies_left_of_knots && dx == 0) {
      --column;
      dx = 1;
    }
    double dots[4] = {};
    double shares[4] = {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx};
    if (mistake_.swaps_corners) std::swap(shares[1], shares[2]);
    const std::int64_t number = row * problem_.level_count() * problem_.points + p;
    for (std::int64_t k = 0; k < 4; ++k) {
      if (!plane.has(line + k / 2, column + k % 2)) continue;
      const std::size_t first = element(row, plane, line + k / 2, column + k % 2);
      const double weight =
          rounded(shares[k] * static_cast<double>(attention), arithmetic_.weights.to);
      for (std::size_t c = 0; c < gradient_.size(); ++c) {
        const double value = load_element(problem_.types.value, input_.at("value").data(),
                                          static_cast<std::int64_t>(first + c));
        dots[k] = rounded(dots[k] + rounded(value * static_cast<double>(gradient_[c]), kFp32),
                          arithmetic_.sums.to);
        if (number != mistake_.loses_point)
          add(sums_[first + c], weight * static_cast<double>(gradient_[c]));
      }
    }
    const auto at = static_cast<std::size_t>(number);
    const double width = mistake_.forgets_size ? 1 : static_cast<double>(plane.width);
    weights_[at] = static_cast<float>((1 - dy) * ((1 - dx) * dots[0] + dx * dots[1]) +
                                      dy * ((1 - dx) * dots[2] + dx * dots[3]));
    locations_[2 * at] = static_cast<float>(
        attention * width * ((1 - dy) * (dots[1] - dots[0]) + dy * (dots[3] - dots[2])));
    locations_[2 * at + 1] =
        static_cast<float>(attention * static_cast<double>(plane.height) *
                           ((1 - dx) * (dots[2] - dots[0]) + dx * (dots[3] - dots[1])));
  }

  void add(double& sum, double term) const {
    if (step_ > 0) {
      sum += std::nearbyint(term / step_) * step_;  // whole numbers of steps: exact
    } else {
      sum = rounded(sum + rounded(term, kFp32), arithmetic_.accumulation.to);
    }
  }

  const Input& input_;
  const Problem& problem_;
  Arithmetic arithmetic_;
  GradientMistake mistake_;
  std::vector<Plane> planes_;
  std::vector<double> sums_;
  std::vector<float> locations_;
  std::vector<float> weights_;
  std::vector<float> gradient_;
  double step_ = 0;
};

}  // namespace msda
