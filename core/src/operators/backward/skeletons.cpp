#include "operators/backward/skeletons.hpp"

#include <string>

#include <msda/operators/backward.hpp>

#include "operators/backward/device/slot_list.cuh"

namespace msda::backward {

std::vector<Skeleton> skeletons() {
#define MSDA_SLOT(Name, name, Default) {name, #Name, k##Name, #Default},
  Skeleton skeleton{.name = "backward",
                    .header = "backward/skeleton.cuh",
                    .space = "msda::backward",
                    .slots = {MSDA_BACKWARD_SLOTS(MSDA_SLOT) MSDA_BACKWARD_SHARED_SLOTS(MSDA_SLOT)},
                    .shared_prepasses = {},
                    .postpasses = {kAccumulator},
                    .extends = "direct",
                    .takes_any_sizes = true};
#undef MSDA_SLOT
  // Reds add floating-point numbers in any order.
  skeleton.slots[kAccumulator].any_order = {std::string(kTensors[kGradValue].name)};
  return {skeleton};
}

}  // namespace msda::backward
