#include <algorithm>
#include <cmath>

#include "input/elements.hpp"
#include "operators/fused/fused.hpp"

namespace msda::fused {

RowPoints::RowPoints(const Input& input)
    : input_(input),
      references_(static_cast<std::size_t>(input.problem.reference_count() *
                                           input.problem.references.coordinates)),
      logits_(static_cast<std::size_t>(input.problem.row_points())) {
  offsets_.resize(2 * logits_.size());
  largest.resize(2 * logits_.size());
  for (auto* all : {&x, &y, &weights}) all->resize(logits_.size());
}

void RowPoints::load(std::int64_t row) {
  const Problem& problem = input_.problem;
  const auto read = [&](Tensor tensor, std::int64_t of_row, std::vector<float>& into) {
    load_floats(type_of(problem, kTensors[tensor]), input_.tensors[tensor].data(),
                of_row * static_cast<std::int64_t>(into.size()), into);
  };
  read(kReferences, row / problem.heads, references_);
  read(kOffsets, row, offsets_);
  read(kLogits, row, logits_);
  load_weights();
  for (std::size_t level = 0; level < problem.levels.size(); ++level) {
    for (std::int64_t point = 0; point < problem.points_of(level); ++point)
      load_point(level, point);
  }
}

void RowPoints::load_point(std::size_t level, std::int64_t point) {
  const Problem& problem = input_.problem;
  const auto l = static_cast<std::int64_t>(level);
  const auto at = static_cast<std::size_t>(problem.first_point(level) + point);
  const auto first =
      static_cast<std::size_t>(reference_of(problem, l, point) * problem.references.coordinates);
  const std::int64_t sizes[] = {problem.levels[level].width, problem.levels[level].height};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto reference = static_cast<double>(references_[first + axis]);
    const double box = problem.references.coordinates == 2
                           ? 0
                           : static_cast<double>(references_[first + axis + 2]);
    const double pixel = pixel_of(problem, static_cast<std::int64_t>(at), reference, box,
                                  static_cast<double>(offsets_[2 * at + axis]), sizes[axis]);
    const double from_reference = reference * static_cast<double>(sizes[axis]);
    (axis == 0 ? x : y)[at] = pixel;
    largest[2 * at + axis] = static_cast<float>(
        std::max(std::abs(from_reference), std::abs(pixel + 0.5 - from_reference)));
  }
}

void RowPoints::load_weights() {
  const float most = *std::max_element(logits_.begin(), logits_.end());
  double sum = 0;
  for (std::size_t i = 0; i < logits_.size(); ++i) {
    weights[i] = std::exp(static_cast<double>(logits_[i]) - static_cast<double>(most));
    sum += weights[i];
  }
  for (double& weight : weights) weight /= sum;
}

}  // namespace msda::fused
