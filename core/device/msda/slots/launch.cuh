// Slot "launch": when the main kernel begins, relative to the launch before it in the stream.
#pragma once

#include <msda/contract.cuh>

namespace msda {

/// - `kDependent`: the launch may begin while the launch before it still runs;
/// - begin(): called by all threads, before any of them touches global memory.
template <class Policy, class K>
concept LaunchPolicy = requires {
  requires kConstant<bool, Policy::kDependent>;
  Policy::begin();
};

/// Default: after the launch before has ended.
template <class K, class Parameters>
struct OrderedLaunch {
  static constexpr bool kDependent = false;
  __device__ static void begin() {}
};

}  // namespace msda
