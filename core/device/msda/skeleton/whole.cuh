// The skeleton of a kernel that shares no slot with others: its only slot is the kernel itself.
//
//   template <class K, class Parameters> struct Kernel {
//     static constexpr LaunchShape kShape = {...};
//     struct Storage {...};                             // shared memory; empty without
//     static constexpr Extent kWorkspace = {...};       // optional: workspace[whole::kKernel]
//     struct Prepass {...};                             // optional, see plan.cuh
//     __device__ static void run(const Arguments& arguments, Storage& storage);
//   };
#pragma once

#include <msda/skeleton/plan.cuh>

namespace msda {

template <class Policy, class K>
concept KernelPolicy = requires(const Arguments& arguments, typename Policy::Storage& storage) {
  { Policy::kShape } -> Same<const LaunchShape&>;
  Policy::run(arguments, storage);
};

}  // namespace msda

namespace msda::whole {

/// The slots of this family.
enum Slot : int { kKernel };

template <class ProblemType>
struct Defaults {
  using Problem = ProblemType;
};

/// The composition `C` as its kernel sees it.
template <class C>
struct Composed {
  using Problem = typename C::Problem;
  using Kernel = typename C::template Kernel<Composed>;
};

template <class C>
__global__ void __launch_bounds__(Composed<C>::Kernel::kShape.threads)
    kernel(const __grid_constant__ Arguments arguments) {
  using Kernel = typename Composed<C>::Kernel;
  Kernel::run(arguments, shared_storage<typename Kernel::Storage>());
}

template <class C, int slot>
__global__ void prepass(const __grid_constant__ Arguments arguments) {
  using Kernel = typename Composed<C>::Kernel;
  if constexpr (requires { typename Kernel::Prepass; }) {
    run_prepass_of<typename Kernel::Prepass>(arguments);
  }
}

template <class K>
constexpr LaunchPlan make_plan() {
  using Kernel = typename K::Kernel;
  LaunchPlan plan = {};
  plan.main = Kernel::kShape;
  plan.main.shared_bytes = kStorageBytes<typename Kernel::Storage>;
  add_policy<Kernel>(plan, kKernel);
  return plan;
}

template <class C>
__device__ const LaunchPlan plan = make_plan<Composed<C>>();

}  // namespace msda::whole
