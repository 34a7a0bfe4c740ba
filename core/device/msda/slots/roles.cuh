// Slot "roles" of the specialised skeleton: which warps of a block produce and which consume.
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>

namespace msda {

/// The mapping's threads consume; `warps` warps after them produce. `stages` tiles' taps are in
/// shared memory at a time where the producers copy no values.
template <int warps, int stages>
struct ProducerWarps {
  static constexpr Slot kSlot = kRoles;
  static constexpr int kProducerThreads = warps * simt::kWarpLanes;
  static constexpr int kStages = stages;
};

}  // namespace msda
