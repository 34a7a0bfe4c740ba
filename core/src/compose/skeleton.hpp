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

/// The device header with the contract of a slot, the concept {member}Policy: one of the skeleton's
/// operator, "backward/dots.cuh", or one that skeletons share, "msda/slots/order.cuh".
std::string contract_header(const Skeleton& skeleton, const SkeletonSlot& slot);

/// The slots of all skeletons, each name once.
std::vector<std::string> slot_names();

/// Why an optimization cannot be composed whatever stands beside it: it names a skeleton or slot
/// that is not there, or a header that it does not embed. "" for what can, and for kernels.
std::string slot_error(const Plugin& plugin);

}  // namespace msda
