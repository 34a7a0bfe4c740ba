// Slot "launch": when the main kernel begins, seen from what is before it in its stream.
#pragma once

#include <msda/contract.cuh>

namespace msda {

/// - `kDependent`: the launch may begin while the one before it still runs;
/// - begin(): all threads, before any of them touches global memory.
template <class Policy, class K>
concept LaunchPolicy = requires {
  requires kConstant<bool, Policy::kDependent>;
  Policy::begin();
};

/// Default: when all before it has ended.
template <class K, class Parameters>
struct OrderedLaunch {
  static constexpr bool kDependent = false;
  __device__ static void begin() {}
};

}  // namespace msda
