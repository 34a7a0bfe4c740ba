// The skeletons that the device headers offer, and the slots of each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operators/operator.hpp"
#include "plugin/registry.hpp"

namespace msda {

/// Those of all operators.
const std::vector<Skeleton>& skeletons();

/// The operator that a skeleton computes.
const Operator& operator_of(std::string_view skeleton);

/// Throws UsageError with the nearest name.
const Skeleton& skeleton(std::string_view name);

/// The slots of all skeletons, each name once.
std::vector<std::string> slot_names();

/// Why an optimization cannot be composed whatever stands beside it: it names a skeleton or slot
/// that is not there, or a header that it does not embed. "" for what can, and for kernels.
std::string slot_error(const Plugin& plugin);

}  // namespace msda
