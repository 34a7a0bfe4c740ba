// From offsets, logits and reference points to the points of `backward`, and from the gradients of
// points back.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <msda/elements.hpp>
#include <msda/operators/fused.hpp>
#include <msda/operators/fused_backward.hpp>

namespace msda::cpu_fused_backward {

/// Rows of points in float32, [B, Q, H, L, P] and [B, Q, H, L, P, 2], and their gradients.
struct Points {
  explicit Points(std::int64_t count)
      : weights(static_cast<std::size_t>(count)),
        locations(2 * weights.size()),
        grad_weights(weights.size()),
        grad_locations(locations.size()) {}

  std::vector<float> weights;
  std::vector<float> locations;
  std::vector<float> grad_weights;
  std::vector<float> grad_locations;
};

class Chain {
 public:
  explicit Chain(const Problem& problem) : problem_(problem), of_row_(problem.row_points()) {}

  /// Makes the points of row (b*Q + q)*H + h.
  void make_row(const fused_backward::View& view, std::int64_t row, Points& points) const {
    softmax(view, row, points.weights.data() + row * of_row_);
    for (std::int64_t i = 0; i < of_row_; ++i) {
      const Place place = place_of(view, row, i);
      for (std::int64_t axis = 0; axis < 2; ++axis) {
        const double pixel = fused::pixel_of(problem_, i, place.reference[axis], place.box[axis],
                                             place.offset[axis], place.size[axis]);
        points.locations[index(2 * (row * of_row_ + i) + axis)] =
            static_cast<float>((pixel + 0.5) / static_cast<double>(place.size[axis]));
      }
    }
  }

  /// Stores the gradients of query b*Q + q, of all its heads.
  void finish_query(const fused_backward::View& view, std::int64_t query,
                    const Points& points) const {
    const std::int64_t coordinates = problem_.references.coordinates;
    std::vector<double> of_references(index(problem_.reference_count() * coordinates));
    for (std::int64_t row = query * problem_.heads; row < (query + 1) * problem_.heads; ++row) {
      if (view.grad_logits != nullptr) finish_logits(view, row, points);
      if (view.grad_offsets == nullptr && view.grad_references == nullptr) continue;
      for (std::int64_t i = 0; i < of_row_; ++i) finish_point(view, row, i, points, of_references);
    }
    if (view.grad_references == nullptr) return;
    const std::int64_t first = query * static_cast<std::int64_t>(of_references.size());
    for (std::size_t i = 0; i < of_references.size(); ++i) {
      store(problem_.types.reference, view.grad_references, first + static_cast<std::int64_t>(i),
            static_cast<float>(of_references[i]));
    }
  }

 private:
  /// What a point is made of, by axis.
  struct Place {
    std::int64_t first;  ///< coordinate of its reference, of those of the query
    double reference[2];
    double box[2];
    double offset[2];
    std::int64_t size[2];
  };

  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  Place place_of(const fused_backward::View& view, std::int64_t row, std::int64_t point) const {
    const Level& level = problem_.levels[problem_.level_of(point)];
    const std::int64_t coordinates = problem_.references.coordinates;
    Place place{};
    place.first = fused::reference_of(problem_, point) * coordinates;
    const std::int64_t of_query = row / problem_.heads * problem_.reference_count() * coordinates;
    for (std::int64_t axis = 0; axis < 2; ++axis) {
      const auto reference = [&](std::int64_t i) {
        return static_cast<double>(
            load(problem_.types.reference, view.references, of_query + place.first + i));
      };
      place.reference[axis] = reference(axis);
      place.box[axis] = coordinates == 4 ? reference(axis + 2) : 0;
      place.offset[axis] = static_cast<double>(
          load(problem_.types.location, view.offsets, 2 * (row * of_row_ + point) + axis));
      place.size[axis] = axis == 0 ? level.width : level.height;
    }
    return place;
  }

  /// A row of minus infinity gets NaN, as PyTorch's softmax has it.
  void softmax(const fused_backward::View& view, std::int64_t row, float* weights) const {
    std::vector<double> powers(index(of_row_));
    for (std::int64_t i = 0; i < of_row_; ++i) {
      powers[index(i)] = load(problem_.types.weight, view.logits, row * of_row_ + i);
    }
    const double most = *std::max_element(powers.begin(), powers.end());
    double sum = 0;
    for (double& power : powers) {
      power = std::exp(power - most);
      sum += power;
    }
    for (const double power : powers) *weights++ = static_cast<float>(power / sum);
  }

  void finish_logits(const fused_backward::View& view, std::int64_t row,
                     const Points& points) const {
    const float* const weights = points.weights.data() + row * of_row_;
    const float* const gradients = points.grad_weights.data() + row * of_row_;
    double sum = 0;
    for (std::int64_t i = 0; i < of_row_; ++i) sum += double{weights[i]} * double{gradients[i]};
    for (std::int64_t i = 0; i < of_row_; ++i) {
      store(problem_.types.weight, view.grad_logits, row * of_row_ + i,
            static_cast<float>(double{weights[i]} * (double{gradients[i]} - sum)));
    }
  }

  void finish_point(const fused_backward::View& view, std::int64_t row, std::int64_t point,
                    const Points& points, std::vector<double>& of_references) const {
    const Place place = place_of(view, row, point);
    const bool is_box = problem_.references.coordinates == 4;
    const double part = fused::part_of_box(problem_, point);
    for (std::int64_t axis = 0; axis < 2; ++axis) {
      const std::int64_t element = 2 * (row * of_row_ + point) + axis;
      // Zero of a point that does not count, which may be made of infinite numbers.
      const double gradient = points.grad_locations[index(element)];
      if (view.grad_offsets != nullptr) {
        const double unit =
            is_box ? part * place.box[axis] : 1 / static_cast<double>(place.size[axis]);
        store(problem_.types.location, view.grad_offsets, element,
              gradient == 0 ? 0.0F : static_cast<float>(gradient * unit));
      }
      if (gradient == 0) continue;
      of_references[index(place.first + axis)] += gradient;
      if (is_box) {
        of_references[index(place.first + axis + 2)] += gradient * part * place.offset[axis];
      }
    }
  }

  Problem problem_;
  std::int64_t of_row_;
};

}  // namespace msda::cpu_fused_backward
