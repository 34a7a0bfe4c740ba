// Whether a result looks as if all points of a level had been shifted: an error too small to stand
// out in any row, which all rows have in common.
#pragma once

#include <cstdint>
#include <optional>

#include "files/bytes.hpp"
#include "reference/bounds.hpp"
#include "reference/truth.hpp"

namespace msda {

/// A shift that rounding does not explain.
struct Shift {
  std::size_t level = 0;
  bool along_x = true;
  double pixels = 0;  ///< estimated by least squares; positive: read to the right, or below
  double limit = 1;   ///< what may be: 1/200 pixel, and six standard errors of the estimate
};

/// The shift that exceeds its limit most, if one does. Every element of `output` is finite.
std::optional<Shift> find_shift(const Bytes& output, const Truth& truth, const Bounds& bounds);

}  // namespace msda
