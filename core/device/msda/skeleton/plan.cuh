// What a policy may add to the launch plan: a workspace, and passes before and after the main
// kernel.
#pragma once

#include <msda/contract.cuh>
#include <msda/storage.cuh>

namespace msda {

/// Any policy may declare a workspace, and passes that the host launches before and after the main
/// kernel, for example to fill the workspace, or to convert what was summed there:
///
///   static constexpr Extent kWorkspace = {...};  // arguments.workspace[slot]
///   static constexpr Zeroed kZeroed = ...;       // when the host clears it; without: never
///   struct Prepass {                             // struct Postpass: after the main kernel
///     static constexpr LaunchShape kShape = {...};
///     struct Storage {...};  // shared memory
///     __device__ static void run(const Arguments& arguments, Storage& storage);
///   };
///
/// `Own` is the type of the operator's arguments. The skeleton's table on the host says which slots
/// may have a pass after the kernel (core/src/operators/skeleton.hpp).
template <class Code, class Own>
concept PassContract = requires(const Own& arguments, typename Code::Storage& storage) {
  { Code::kShape } -> Same<const LaunchShape&>;
  Code::run(arguments, storage);
};

template <class Code, class Own = ForwardArguments>
constexpr void add_pass(LaunchPlan& plan, Pass when, int slot) {
  static_assert(PassContract<Code, Own>);
  LaunchShape& shape = plan.pass[when][slot];
  shape = Code::kShape;
  shape.shared_bytes = kStorageBytes<typename Code::Storage>;
}

template <class Policy, class Own = ForwardArguments>
constexpr void add_policy(LaunchPlan& plan, int slot) {
  if constexpr (requires { Policy::kWorkspace; }) plan.workspace[slot] = Policy::kWorkspace;
  if constexpr (requires { Policy::kZeroed; }) plan.zeroed[slot] = Policy::kZeroed;
  if constexpr (requires { typename Policy::Prepass; }) {
    add_pass<typename Policy::Prepass, Own>(plan, kBefore, slot);
  }
  if constexpr (requires { typename Policy::Postpass; }) {
    add_pass<typename Policy::Postpass, Own>(plan, kAfter, slot);
  }
}

template <class Code, class Own>
__device__ __forceinline__ void run_pass(const Own& arguments) {
  Code::run(arguments, shared_storage<typename Code::Storage>());
}

/// The pass of one slot's policy before or after the main kernel, if it has one.
template <class Policy, Pass when, class Own>
__device__ __forceinline__ void run_pass_of(const Own& arguments) {
  if constexpr (when == kBefore) {
    if constexpr (requires { typename Policy::Prepass; }) {
      run_pass<typename Policy::Prepass>(arguments);
    }
  } else {
    if constexpr (requires { typename Policy::Postpass; }) {
      run_pass<typename Policy::Postpass>(arguments);
    }
  }
}

}  // namespace msda
