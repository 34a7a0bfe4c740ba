// What is right for the operator `forward`.
#pragma once

#include <vector>

#include <msda/operators/forward.hpp>

#include "input/input.hpp"
#include "reference/truth.hpp"

namespace msda::forward {

/// [B, Q, H, C] in float64. Each value is converted exactly to double, coordinates and weights too;
/// a NaN or infinite location contributes nothing. threads = 0 uses all hardware threads; the
/// result does not depend on it.
std::vector<double> compute_reference(const Input& input, unsigned threads = 0);

/// [H, C]: what one of the [H, L, P] weights of query b*Q + q adds to its output.
std::vector<double> share_of_weight(const Input& input, std::int64_t query, std::int64_t weight);

/// Of points that are made of other numbers, in float32.
struct MadeOf {
  /// As the locations lie: of a coordinate the largest of its numbers in pixels. What is rounded on
  /// the way is as large.
  Bytes largest;
  /// As the weights lie: how many times the variance of a rounded weight that of this one has.
  Bytes weight_errors;
};

/// What an output is judged by; `output` is compute_reference() of the input.
Truth make_truth(const Input& input, std::vector<double> output, unsigned threads = 0,
                 const MadeOf* made_of = nullptr);

}  // namespace msda::forward
