// What the tests of the operator `backward` share: inputs, and its outputs by name.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "operators/backward/backward.hpp"
#include "support/tensors.hpp"

namespace msda {

/// In float64.
struct Gradients {
  std::vector<double> value;
  std::vector<double> locations;
  std::vector<double> weights;
};

inline Gradients gradients_of(const Input& input, unsigned threads = 0) {
  auto all = backward::compute_reference(input, threads);
  return {std::move(all.at(0)), std::move(all.at(1)), std::move(all.at(2))};
}

inline Input make_gradient_input(const Problem& problem, Distribution distribution,
                                 std::uint64_t seed = 1) {
  Generation generation;
  generation.distribution = distribution;
  generation.seed = seed;
  return backward::generate_input(problem, generation, 0);
}

/// One image, query, head, channel, level and point.
struct OneGradient {
  Level level;
  std::vector<float> pixels;
  float x = 0.5F;  ///< in units of the image
  float y = 0.5F;
  float weight = 1;
  float gradient = 1;  ///< of the output

  Input input() const {
    Input input(make_problem({.channels = 1, .points = 1, .levels = {level}}), backward::kTensors);
    input.at("value") = make_tensor(DType::kFloat32, pixels);
    input.at("locations") = make_tensor(DType::kFloat32, {x, y});
    input.at("weights") = make_tensor(DType::kFloat32, {weight});
    input.at("grad_output") = make_tensor(DType::kFloat32, {gradient});
    return input;
  }
};

inline std::vector<double> doubles_of(const Input& input, std::string_view tensor) {
  for (std::size_t i = 0; i < input.specs.size(); ++i) {
    if (input.specs[i].name != tensor) continue;
    const DType type = type_of(input.problem, input.specs[i]);
    std::vector<double> numbers(input.tensors[i].size() / size_of(type));
    for (std::size_t e = 0; e < numbers.size(); ++e) {
      numbers[e] = load_element(type, input.tensors[i].data(), static_cast<std::int64_t>(e));
    }
    return numbers;
  }
  return {};
}

}  // namespace msda
