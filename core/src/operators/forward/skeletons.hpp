// The skeletons that compute the operator `forward`.
#pragma once

#include <vector>

#include "operators/skeleton.hpp"

namespace msda::forward {

std::vector<Skeleton> skeletons();

}  // namespace msda::forward
