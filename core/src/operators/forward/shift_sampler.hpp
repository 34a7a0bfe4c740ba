// How some rows of the output move when all points of a level are shifted.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "reference/image.hpp"
#include "reference/truth.hpp"

namespace msda::forward {

/// Collects the derivatives of rows that are spread evenly over the output, image by image.
class ShiftSampler {
 public:
  explicit ShiftSampler(const Problem& problem);
  /// `values` is the image as float32.
  void add_image(const Input& input, std::int64_t image, const float* values, unsigned threads);

  std::vector<std::int64_t> take_rows() { return std::move(rows_); }
  std::vector<ShiftDirection> take_directions() { return std::move(directions_); }

 private:
  std::vector<std::int64_t> rows_;
  std::vector<ShiftDirection> directions_;
};

}  // namespace msda::forward
