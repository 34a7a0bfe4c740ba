// Tensors of more than 2^31 elements, with answers that are known without a reference.
#pragma once

#include <string>
#include <vector>

#include "compose/composition.hpp"
#include "device/device.hpp"

namespace msda {

/// A problem in fp16 whose points all lie in the middle of their levels. The value of an image is
/// its number, or 1; the weights of a row add up to 1, so that an output is the value, exactly.
struct LargeCount {
  Problem problem;
  bool by_image;
};

/// Outputs, values and locations of more than 2^31 elements, one tensor each. `small`: the same in
/// thousands.
std::vector<LargeCount> large_counts(bool small);

/// What is wrong with what the composition writes, its refusal, or "".
std::string fault_of(Device& device, const Composition& composition, const LargeCount& one);

}  // namespace msda
