// Slot "roles" of the specialised skeleton: which warps of a block produce and which consume.
#pragma once

#include <msda/contract.cuh>
#include <msda/simt/thread.cuh>

namespace msda {

/// - `kProducerThreads`: whole warps of producers, which come after the mapping's threads, the
///   consumers;
/// - `kStages`: tiles whose taps are in shared memory at a time, where producers copy no values.
template <class Policy, class K>
concept RolesPolicy = requires {
  requires kConstant<int, Policy::kProducerThreads>;
  requires kConstant<int, Policy::kStages>;
  requires Policy::kProducerThreads % simt::kWarpLanes == 0;
};

template <int warps, int stages>
struct ProducerWarps {
  static constexpr int kProducerThreads = warps * simt::kWarpLanes;
  static constexpr int kStages = stages;
};

/// Default.
template <class K, class Parameters>
struct TwoProducerWarps : ProducerWarps<2, 2> {};

}  // namespace msda
