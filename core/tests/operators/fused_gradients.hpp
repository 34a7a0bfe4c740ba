// What the tests of the operator `fused-backward` share.
#pragma once

#include <string>
#include <vector>

#include "gradients.hpp"
#include "operators/fused_backward/fused_backward.hpp"

namespace msda {

/// The outputs that are asked for, in float64.
struct FusedGradients {
  std::vector<double> value;
  std::vector<double> offsets;
  std::vector<double> logits;
  std::vector<double> references;
};

inline FusedGradients fused_gradients_of(const Input& input, unsigned threads = 0) {
  auto all = fused_backward::compute_reference(input, threads);
  return {std::move(all.at(0)), std::move(all.at(1)), std::move(all.at(2)), std::move(all.at(3))};
}

inline Input make_fused_gradient_input(Problem problem, const References& references,
                                       Distribution distribution, std::uint64_t seed = 1) {
  problem.references = references;
  Generation generation;
  generation.distribution = distribution;
  generation.seed = seed;
  return fused_backward::generate_input(problem, generation, 0);
}

/// Every kind of reference points, for problems of 4 points.
inline const std::vector<References>& kinds_of_references() {
  static const std::vector<References> kKinds = {{2, 0}, {2, 1}, {2, 4}, {4, 0}, {4, 1}, {4, 4}};
  return kKinds;
}
inline std::string name_of_kind(const References& references) {
  return "k" + std::to_string(references.coordinates) + "_r" + std::to_string(references.anchors);
}

}  // namespace msda
