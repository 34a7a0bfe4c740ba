// What is right for the operator `fused-backward`, and its inputs.
#pragma once

#include <functional>
#include <vector>

#include <msda/arithmetic.hpp>
#include <msda/operators/fused_backward.hpp>

#include "input/input.hpp"
#include "operators/backward/points.hpp"
#include "operators/fused/fused.hpp"
#include "reference/truth.hpp"

namespace msda::fused_backward {

/// What kernels round: of a coordinate as much as `fused`; of a gradient of a logit the row's sum,
/// the difference and the product more than of a weight.
inline constexpr Arithmetic kArithmetic{.coordinates = {kFp32, 12}, .weights = {fused::kPower, 32}};

/// Inputs of `fused`, but for points on knots, and a gradient normal(0, 1). Offsets are moved so
/// that coordinates keep 1/64 pixel from the knots (backward.hpp); of the distribution `border`
/// they are not.
Input generate_input(const Problem& problem, const Generation& generation, unsigned threads);

/// The outputs that are asked for, in float64. Pixels of the padding mask count as zero and have
/// gradients of zero. A point that does not count, for whatever reason,
/// has gradients of zero but that of its logit. A row without a weight that is a number has
/// gradients that are none: of all its logits, and of what its points that count read and are made
/// of.
std::vector<std::vector<double>> compute_reference(const Input& input, unsigned threads = 0);

/// Calls body(pixel) for those of [B, S] that are padding.
void for_padding(const Input& input, const std::function<void(std::size_t pixel)>& body);

/// What they are judged by; `outputs` are compute_reference() of the input.
std::vector<Truth> make_truths(const Input& input, std::vector<std::vector<double>> outputs,
                               unsigned threads = 0);

/// The points of an input, and what else the gradients of points need.
backward::Operands operands_of(const Input& input);

/// [B, Q, H, L, P, 2] in float32: where they lie on the image.
Bytes locations_of(const Input& input);

/// How the coordinates of a row's points move, in pixels, with what they are made of.
class RowChain {
 public:
  /// `input` must outlive the object.
  explicit RowChain(const Input& input);

  /// Of row (b*Q + q)*H + h.
  void load(std::int64_t row);
  std::int64_t row() const { return row_; }

  /// x and y.
  struct Factors {
    double offset[2];
    double place[2];  ///< of the reference
    double box[2];    ///< of its width and height
  };
  /// Of point `point` of the row.
  Factors of(std::int64_t point) const;
  /// The point's reference among those of all queries.
  std::int64_t reference(std::int64_t point) const;

 private:
  const Input& input_;
  std::int64_t row_ = -1;
  std::vector<float> references_;
  std::vector<float> offsets_;
};

/// A gradient of zero stays zero, whatever it is multiplied with.
inline double chained(double gradient, double factor) {
  return gradient == 0 ? 0 : gradient * factor;
}

}  // namespace msda::fused_backward
