// What is right for the operator `fused`, and its inputs.
#pragma once

#include <cmath>
#include <vector>

#include <msda/dtype.hpp>
#include <msda/operators/fused.hpp>

#include "input/input.hpp"
#include "reference/truth.hpp"

namespace msda::fused {

/// Powers of the softmax: instructions leave 0 in place of one below the normal numbers.
inline constexpr Format kPower{kFp32.unit, 0x1p-126};

inline constexpr std::int64_t kRowGrain = 64;  ///< rows that a thread takes at a time

/// How many times the variance of a number that is rounded `times` times a weight of the softmax
/// has, the row's largest being `largest`. A weight is a power, whose exponent is rounded in
/// proportion to how far the logit lies below the largest one. 1 of a weight that is zero or NaN.
inline double weight_error(double largest, double weight, double times) {
  if (!(weight > 0)) return 1;
  const double below = std::log(largest) - std::log(weight);  // a ratio may be infinite
  return 1 + below * below / times;
}

/// The points of a row in float64, made of the numbers as they are stored.
class RowPoints {
 public:
  /// `input` must outlive the object.
  explicit RowPoints(const Input& input);

  /// Of row (b*Q + q)*H + h.
  void load(std::int64_t row);

  // Of the row's points each:
  std::vector<double> x;        ///< in pixels of the level
  std::vector<double> y;        ///< the same
  std::vector<double> weights;  ///< NaN where all logits of the row are minus infinity
  /// [points, 2]: the larger of reference and offset, in pixels.
  std::vector<float> largest;

 private:
  void load_point(std::size_t level, std::int64_t point);
  void load_weights();

  const Input& input_;
  std::vector<float> references_;
  std::vector<float> offsets_;
  std::vector<float> logits_;
};

/// The input, of this operator or of its gradients, with the pixels of its padding mask as zeros
/// and without the mask.
Input without_padding(const Input& input);

/// Inputs whose points lie where `generation` puts those of `forward`. References stand where the
/// queries do; boxes are a twentieth to half of the image, anchors a few hundredths of it apart.
/// Logits are normal(0, s^2) with s = exp(normal(0, 1/4)) of each row; in one row of eight they are
/// 16 times as large, so that one weight takes nearly all. With padding, an image fills half to all
/// of each axis, and the largest of a batch all of it; what is right of it or below is padding.
Input generate_input(const Problem& problem, const Generation& generation, unsigned threads);

}  // namespace msda::fused
