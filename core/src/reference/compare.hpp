// How an output compares with what is right.
#pragma once

#include <cstdint>
#include <span>

#include "files/bytes.hpp"
#include "reference/bounds.hpp"

namespace msda {

struct Comparison {
  double relative_l2 = 0;        ///< ||out - ref|| / ||ref||; NaN when an element is not finite
  double maximum_absolute = 0;   ///< over the finite elements
  std::int64_t not_written = 0;  ///< elements that still hold the poison (a NaN pattern)
  std::int64_t infinite = 0;     ///< elements
  std::int64_t worst_index = 0;  ///< flat index of the largest absolute difference
  // Against bounds, where some were given:
  double row_excess = 0;           ///< largest error of a row over its bound
  std::int64_t worst_row = 0;      ///< number of that row
  double element_excess = 0;       ///< largest error of an element over its bound
  std::int64_t worst_element = 0;  ///< flat index of that element, or of one that is not finite
  std::int64_t on_knots = 0;       ///< elements with two right results: the nearer one counts
};

/// `output` are elements in shape.type, of whole rows from row `first_row` on. Poison is all bytes
/// 0xFF, which is a NaN in every type; any NaN where the reference is finite counts as not written.
/// Bounds may be null. Indices in the result count from the first row.
Comparison compare(const RowShape& shape, const Bytes& output, std::span<const double> reference,
                   const Bounds* bounds = nullptr, unsigned threads = 0,
                   std::int64_t first_row = 0);

/// With another result of the same input, which was not computed here: knots are left out, because
/// nobody knows which side it is on.
Comparison compare_with_other(const Truth& truth, const Bytes& output,
                              std::span<const float> other);

}  // namespace msda
