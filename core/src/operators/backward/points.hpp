// Where the points are whose gradients are asked for: `backward` reads that, and an operator that
// makes points of other tensors says it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "input/input.hpp"
#include "operators/linear.hpp"

namespace msda::backward {

/// Neighbouring points of a row, in float64.
struct PointList {
  explicit PointList(std::int64_t points)
      : count(points),
        x(size()),
        y(size()),
        weights(size()),
        weight_errors(size(), 1.0),
        largest(2 * size()) {}

  std::int64_t count;
  std::vector<double> x;  ///< in pixels of the point's level
  std::vector<double> y;
  std::vector<double> weights;  ///< attention; NaN: no number
  /// How the squares of the relative errors of weights compare with what an arithmetic declares.
  std::vector<double> weight_errors;
  /// [., 2]: a number of pixels that the coordinate was made of, where that is larger than it.
  std::vector<float> largest;
  std::vector<float> stored;  ///< of whoever reads

 private:
  std::size_t size() const { return static_cast<std::size_t>(count); }
};

/// [L * P]: the level of each point of a row.
std::vector<std::size_t> levels_of_points(const Problem& problem);

/// Callable from several threads at a time: reads the points of row (b*Q + q)*H + h from `first`
/// on, as many as the list has.
using ReadPoints = std::function<void(std::int64_t row, std::int64_t first, PointList& points)>;

/// What the gradients are made of. The tensors must outlive the object.
struct Operands {
  const Problem& problem;
  const Bytes& value;
  const Bytes& grad_output;
  ReadPoints read;
  /// Of so many places are the points (Truth::independent_points).
  double places;
};

/// Of an input of `backward`.
Operands operands_of(const Input& input);

/// In float64; empty what nobody asked for.
struct Gradients {
  std::vector<double> value;    ///< as grad_value
  std::vector<double> pixels;   ///< [B, Q, H, L, P, 2], of the coordinates in pixels
  std::vector<double> weights;  ///< [B, Q, H, L, P]
};
struct Asked {
  bool value = true;
  bool pixels = true;
  bool weights = true;
};

/// As compute_reference() has them (backward.hpp).
Gradients compute_gradients(const Operands& operands, const Asked& asked, unsigned threads);

/// What query b*Q + q adds to grad_value.
std::vector<QueryShare> shares_of_query(const Operands& operands, std::int64_t query);

}  // namespace msda::backward
