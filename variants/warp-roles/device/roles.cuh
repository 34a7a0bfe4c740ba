// Some warps of a block produce, the others gather.
#pragma once

#include <msda/slots/roles.cuh>

namespace msda::warp_roles {

template <class K, class Parameters>
struct Roles
    : ProducerWarps<static_cast<int>(Parameters::producers), static_cast<int>(Parameters::stages)> {
};

}  // namespace msda::warp_roles
