// The skeleton that computes the operator `backward`.
#pragma once

#include <vector>

#include "operators/skeleton.hpp"

namespace msda::backward {

std::vector<Skeleton> skeletons();

}  // namespace msda::backward
