// What a policy may add to the launch plan: a workspace, and a pre-pass before the main kernel.
#pragma once

#include <msda/contract.cuh>
#include <msda/storage.cuh>

namespace msda {

/// Any policy may declare a workspace, and a pre-pass that the host launches before the main
/// kernel, for example to fill the workspace:
///
///   static constexpr Extent kWorkspace = {...};  // arguments.workspace[slot]
///   static constexpr Zeroed kZeroed = ...;       // when the host clears it; without: never
///   struct Prepass {
///     static constexpr LaunchShape kShape = {...};
///     struct Storage {...};  // shared memory
///     __device__ static void run(const Arguments& arguments, Storage& storage);
///   };
template <class Prepass>
concept PrepassContract = requires(const Arguments& arguments, typename Prepass::Storage& storage) {
  { Prepass::kShape } -> Same<const LaunchShape&>;
  Prepass::run(arguments, storage);
};

template <class Prepass>
constexpr void add_prepass(LaunchPlan& plan, int slot) {
  static_assert(PrepassContract<Prepass>);
  plan.has_prepass[slot] = 1;
  plan.prepass[slot] = Prepass::kShape;
  plan.prepass[slot].shared_bytes = kStorageBytes<typename Prepass::Storage>;
}

template <class Policy>
constexpr void add_policy(LaunchPlan& plan, int slot) {
  if constexpr (requires { Policy::kWorkspace; }) plan.workspace[slot] = Policy::kWorkspace;
  if constexpr (requires { Policy::kZeroed; }) plan.zeroed[slot] = Policy::kZeroed;
  if constexpr (requires { typename Policy::Prepass; }) {
    add_prepass<typename Policy::Prepass>(plan, slot);
  }
}

template <class Prepass>
__device__ __forceinline__ void run_prepass_of(const Arguments& arguments) {
  Prepass::run(arguments, shared_storage<typename Prepass::Storage>());
}

}  // namespace msda
