// Whether a result looks as if all points of a level had been shifted: an error too small to stand
// out in any row, which all rows have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/bounds.hpp"
#include "reference/truth.hpp"

namespace msda {

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

/// A shift that rounding does not explain.
struct Shift {
  std::size_t level = 0;
  bool along_x = true;
  double pixels = 0;  ///< estimated by least squares; positive: read to the right, or below
  double limit = 1;   ///< what may be: 1/200 pixel, and six standard errors of the estimate
};

/// The shift that exceeds its limit most, if one does. Every element of `output` is finite.
std::optional<Shift> find_shift(const Problem& problem, const Bytes& output, const Truth& truth,
                                const Bounds& bounds);

}  // namespace msda
