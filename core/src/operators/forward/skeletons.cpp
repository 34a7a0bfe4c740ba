#include "operators/forward/skeletons.hpp"

#include <msda/slot_list.cuh>

namespace msda::forward {

std::vector<Skeleton> skeletons() {
#define MSDA_SLOT(Name, name, Default) {name, #Name, k##Name, #Default},
  const Skeleton direct{.name = "direct",
                        .header = "msda/skeleton/direct.cuh",
                        .space = "msda::direct",
                        .slots = {MSDA_GATHER_SLOTS(MSDA_SLOT)},
                        .shared_prepasses = {kLayout},
                        .takes_any_sizes = true};
  const Skeleton specialised{.name = "specialised",
                             .header = "msda/skeleton/specialised.cuh",
                             .space = "msda::specialised",
                             .slots = {MSDA_GATHER_SLOTS(MSDA_SLOT) MSDA_PRODUCER_SLOTS(MSDA_SLOT)},
                             .shared_prepasses = direct.shared_prepasses,
                             .extends = direct.name,
                             .takes_any_sizes = true};
#undef MSDA_SLOT
  const Skeleton whole{.name = "whole",
                       .header = "msda/skeleton/whole.cuh",
                       .space = "msda::whole",
                       .slots = {{"kernel", "Kernel", 0, ""}},
                       .shared_prepasses = {},
                       .postpasses = {0},
                       .takes_any_sizes = true};
  return {direct, specialised, whole};
}

}  // namespace msda::forward
