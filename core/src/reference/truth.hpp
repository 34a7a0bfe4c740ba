// What a result is judged by: the exact output, and what it owes to everything that a kernel may
// round on the way there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "input/input.hpp"

namespace msda {

/// How far one row (b, q, h) of the output moves when its ingredients do: mean squares over its
/// channels. Times the square of an error, relative or absolute, each is the mean square of what
/// that error does to the row, as long as the errors of different points are independent. Points of
/// a row at one and the same place are taken as one, because a kernel rounds them alike.
struct RowSensitivity {
  double output = 0;       ///< the row itself, squared
  double terms = 0;        ///< sum over corners of (weight * value)^2
  double values = 0;       ///< sum over the same corners of value^2
  double ranges = 0;       ///< sum of (weight * largest magnitude of the image, head and level)^2
  double fractions = 0;    ///< sum over points and axes of (weight * gradient)^2
  double coordinates = 0;  ///< the same times the square of the power of two below the coordinate
};

/// The derivative of some rows with respect to a shift of all points of one level along one axis,
/// in output per pixel. A point close to where the derivative jumps is left out.
struct ShiftDirection {
  std::size_t level = 0;
  bool along_x = true;
  std::vector<float> derivative;  ///< [rows, C]; rows as in Truth::sampled_rows
};

struct Truth {
  std::vector<double> output;        ///< [B, Q, H, C]
  std::vector<RowSensitivity> rows;  ///< [B, Q, H]
  /// [H]: the mean square of a head's strongest channel over that of all its channels.
  std::vector<double> unevenness;
  /// How many points, at most a few thousand, lie at places of their own: rounding errors average
  /// out over as many.
  double independent_points = 1;
  std::vector<std::int64_t> sampled_rows;
  std::vector<ShiftDirection> shifts;
};

/// The truth of the operator, its output from cached_reference(). threads = 0 uses all hardware
/// threads; the result does not depend on it.
Truth make_truth(const Input& input, unsigned threads = 0);
/// The same with an output that is known.
Truth make_truth(const Input& input, std::vector<double> output, unsigned threads = 0);

/// The truth of Computes::kCopy: only the output's type rounds.
Truth make_copy_truth(const Input& input);

}  // namespace msda
