// Slot "clear": what clears the sums that contributions to grad_value are added to.
#pragma once

#include <backward/accumulator.cuh>

namespace msda {

/// - `kClears`: a pass of the policy before the main kernel clears the sums, and the launcher does
///   not;
/// - `kBeginsEarly`: the main kernel may begin while that pass runs;
/// - wait(): called by each thread before it adds to sums in global memory: returns when they are
///   clear.
template <class Policy, class K>
concept ClearPolicy = requires {
  requires kConstant<bool, Policy::kClears>;
  requires kConstant<bool, Policy::kBeginsEarly>;
  Policy::wait();
};

/// Default: the launcher, before the first kernel.
template <class K, class Parameters>
struct LauncherClear {
  static constexpr bool kClears = false;
  static constexpr bool kBeginsEarly = false;
  __device__ static void wait() {}
};

}  // namespace msda
