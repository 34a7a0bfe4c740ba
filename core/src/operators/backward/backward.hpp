// What is right for the operator `backward`.
#pragma once

#include <cstdint>
#include <vector>

#include <msda/operators/backward.hpp>

#include "input/input.hpp"
#include "reference/truth.hpp"

namespace msda::backward {

/// Inputs: those of `forward`, but for points on knots, and grad_output normal(0, 1). The gradient
/// of a location jumps where its coordinate meets a pixel's centre, so such coordinates are moved
/// 3/128 pixels away and more where the type has no number as close; the distribution `border`,
/// which is about such points, keeps them.
Input generate_input(const Problem& problem, const Generation& generation, unsigned threads);

/// The outputs that are asked for, in float64. Stored numbers are converted exactly; a point whose
/// location is not finite, or beyond its level, contributes nothing and has gradients of zero. A
/// point at a pixel's centre lies right of and below it, as floor() says. Sums are added up in the
/// order of queries, levels and points, whatever `threads` is (0: all hardware threads).
std::vector<std::vector<double>> compute_reference(const Input& input, unsigned threads = 0);

/// What they are judged by; `outputs` are compute_reference() of the input.
std::vector<Truth> make_truths(const Input& input, std::vector<std::vector<double>> outputs,
                               unsigned threads = 0);

// Of one output each:
Truth make_value_truth(const Input& input, std::vector<double> output, unsigned threads);
Truth make_location_truth(const Input& input, std::vector<double> output, unsigned threads);
Truth make_weight_truth(const Input& input, std::vector<double> output, unsigned threads);

}  // namespace msda::backward
