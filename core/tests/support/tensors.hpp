// What the tests of inputs and of the reference share.
#pragma once

#include <string>
#include <vector>

#include "input/elements.hpp"
#include "input/input.hpp"
#include "support/files.hpp"
#include "support/problems.hpp"

namespace msda {

inline Bytes make_tensor(DType type, const std::vector<float>& numbers) {
  Bytes tensor(numbers.size() * size_of(type));
  store_floats(type, numbers, tensor.data(), 0);
  return tensor;
}

}  // namespace msda
