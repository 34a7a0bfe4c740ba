// The skeleton of a kernel that shares no slot with others: its only slot is the kernel itself.
//
//   template <class K, class Parameters> struct Kernel {
//     static constexpr LaunchShape kShape = {...};
//     struct Storage {...};                             // shared memory; empty without
//     using Arguments = ...;                            // the operator's; without: forward's
//     static constexpr Extent kWorkspace = {...};       // optional: workspace[whole::kKernel]
//     struct Prepass {...};                             // optional, as Postpass: see plan.cuh
//     __device__ static void run(const Arguments& arguments, Storage& storage);
//   };
#pragma once

#include <msda/skeleton/plan.cuh>
#include <msda/skeleton/stored_levels.cuh>

namespace msda {

template <class Policy>
struct ArgumentsOf {
  using Type = ForwardArguments;
};
template <class Policy>
requires requires { typename Policy::Arguments; }
struct ArgumentsOf<Policy> {
  using Type = typename Policy::Arguments;
};

template <class Policy, class K>
concept KernelPolicy = requires(const typename ArgumentsOf<Policy>::Type& arguments,
                                typename Policy::Storage& storage) {
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
  using Sizes = typename SizesOf<Problem>::Type;
  using Kernel = typename C::template Kernel<Composed>;
};

/// Stored level sizes lie first, where StoredSizes finds them.
template <class Storage>
struct AfterTable {
  LevelTable table;
  Storage storage;
};

template <class C>
using KernelOf = typename Composed<C>::Kernel;
template <class C>
using Arguments = typename ArgumentsOf<KernelOf<C>>::Type;

template <class C>
__global__ void __launch_bounds__(KernelOf<C>::kShape.threads)
    kernel(const __grid_constant__ Arguments<C> arguments) {
  using K = Composed<C>;
  using Kernel = KernelOf<C>;
  if constexpr (K::Sizes::kStored) {
    if (read_levels<K>(arguments, {}, 0) == kNoPyramid) {
      return fill_with_nan<typename K::Problem>(arguments, Kernel::kShape.threads);
    }
    Kernel::run(arguments, shared_storage<AfterTable<typename Kernel::Storage>>().storage);
  } else {
    Kernel::run(arguments, shared_storage<typename Kernel::Storage>());
  }
}

/// The main kernel of given level sizes; nothing is resident.
template <class C, int resident>
__global__ void __launch_bounds__(KernelOf<C>::kShape.threads)
    sized_kernel(const __grid_constant__ Arguments<C> arguments) {
  if constexpr (resident == 0) {
    KernelOf<C>::run(arguments, shared_storage<typename KernelOf<C>::Storage>());
  }
}

template <class C, int slot>
__global__ void prepass(const __grid_constant__ Arguments<C> arguments) {
  run_pass_of<KernelOf<C>, kBefore>(arguments);
}

template <class C, int slot>
__global__ void postpass(const __grid_constant__ Arguments<C> arguments) {
  run_pass_of<KernelOf<C>, kAfter>(arguments);
}

template <class K>
constexpr LaunchPlan make_plan() {
  using Kernel = typename K::Kernel;
  using Own = typename ArgumentsOf<Kernel>::Type;
  LaunchPlan plan = {};
  plan.main = Kernel::kShape;
  using Storage = typename Kernel::Storage;
  plan.main.shared_bytes =
      K::Sizes::kStored ? kStorageBytes<AfterTable<Storage>> : kStorageBytes<Storage>;
  plan.levels = kLevelsFrom<typename K::Sizes>;
  plan.tensors = kTensors<Own>;
  add_policy<Kernel, Own>(plan, kKernel);
  return plan;
}

template <class C>
__device__ const LaunchPlan plan = make_plan<Composed<C>>();

}  // namespace msda::whole
