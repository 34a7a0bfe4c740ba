// What the tests of inputs and of the reference share.
#pragma once

#include <string>
#include <vector>

#include "../files/testing.hpp"
#include "input/elements.hpp"
#include "input/input.hpp"

namespace msda {

inline Bytes make_tensor(DType type, const std::vector<float>& numbers) {
  Bytes tensor(numbers.size() * size_of(type));
  store_floats(type, numbers, tensor.data(), 0);
  return tensor;
}

/// Awkward on purpose: nothing is a multiple of anything.
inline Problem small_problem() {
  Problem problem;
  problem.name = "small";
  problem.batch = 2;
  problem.queries = 7;
  problem.heads = 3;
  problem.channels = 5;
  problem.points = 3;
  problem.levels = {{6, 9}, {3, 5}, {1, 1}};
  return problem;
}

}  // namespace msda
