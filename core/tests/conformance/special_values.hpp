// Numbers that random inputs do not have, and compositions for which they matter.
#pragma once

#include <vector>

#include "conformance/conformance.hpp"

namespace msda {

/// Two problems of fp16 with a level of zeros, two of fp16 with negative weights, and two of fp32
/// whose values have 24 bits that float24-value stores without an error, and one with a level that
/// is one vector.
const std::vector<Case>& special_cases();

struct SpecialCase {
  Composition composition;
  std::vector<std::size_t> cases;
  bool is_exact;  ///< judged as if nothing were rounded more coarsely than float32
};
std::vector<SpecialCase> special_values();

}  // namespace msda
