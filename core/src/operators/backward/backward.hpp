// What is right for the operator `backward`.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <msda/operators/backward.hpp>

#include "input/input.hpp"
#include "operators/backward/points.hpp"
#include "reference/truth.hpp"

namespace msda::backward {

/// Inputs: those of `forward`, but for points on knots, and grad_output normal(0, 1). The gradient
/// of a location jumps where its coordinate meets a pixel's centre, so such coordinates are moved
/// 3/128 pixels away and more where the type has no number as close; the distribution `border`,
/// which is about such points, keeps them.
Input generate_input(const Problem& problem, const Generation& generation, unsigned threads);

/// The gradient with respect to the output.
Bytes generate_gradient(const Problem& problem, std::uint64_t seed, unsigned threads);

/// A coordinate in pixels, or the number closest to it that keeps 1/64 pixel from whole numbers
/// after it is stored: stored(target) is the coordinate of what is stored for a wanted one. The
/// coordinate again where that takes more than a pixel.
template <class Stored>
double off_knots(double at, std::int64_t size, const Stored& stored) {
  constexpr double kMargin = 1.0 / 64;
  const auto from_knot = [](double x) { return x - std::nearbyint(x); };
  // Of these no pixel is near, or they are no numbers.
  if (!(at > -2 && at < static_cast<double>(size) + 1)) return at;
  const double distance = from_knot(at);
  if (std::abs(distance) >= kMargin) return at;
  for (const double away : {1.5 * kMargin, 0.125, 0.25, 0.5, 1.0}) {
    const double moved = stored(std::nearbyint(at) + std::copysign(away, distance));
    if (std::abs(from_knot(moved)) >= kMargin) return moved;
  }
  return at;
}

/// The outputs that are asked for, in float64. Stored numbers are converted exactly; a point whose
/// location is not finite, or beyond its level, contributes nothing and has gradients of zero. A
/// point at a pixel's centre lies right of and below it, as floor() says. Sums are added up in the
/// order of queries, levels and points, whatever `threads` is (0: all hardware threads).
std::vector<std::vector<double>> compute_reference(const Input& input, unsigned threads = 0);

/// What they are judged by; `outputs` are compute_reference() of the input, or none, which computes
/// the same bits meanwhile.
std::vector<Truth> make_truths(const Input& input, std::vector<std::vector<double>> outputs,
                               unsigned threads = 0);

/// Of grad_value; null computes it.
Truth make_value_truth(const Operands& operands, std::vector<double>* output, unsigned threads);
/// Of the gradients of locations and of weights that are asked for, in this order; `outputs` are
/// theirs, or none.
std::vector<Truth> make_point_truths(const Operands& operands,
                                     std::span<std::vector<double>> outputs, unsigned threads);

}  // namespace msda::backward
