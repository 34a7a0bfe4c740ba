// The operators in the folders beside this file; CMake writes the list.
#pragma once

#include <vector>

#include "operators/operator.hpp"

namespace msda {

std::vector<const Operator*> built_in_operators();

}  // namespace msda
