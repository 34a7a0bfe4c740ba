// Slot "roles" of the specialised skeleton: which warps of a block produce and which consume.
#pragma once

#include <msda/contract.cuh>
#include <msda/simt/thread.cuh>

namespace msda {

/// - `kProducerThreads`: threads of producers, whole warps, after the mapping's threads, which
///   consume;
/// - `kStages`: tiles whose taps are in shared memory at a time, if producers copy no values.
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

/// Default: two producer warps, two stages.
template <class K, class Parameters>
struct TwoProducerWarps : ProducerWarps<2, 2> {};

}  // namespace msda
