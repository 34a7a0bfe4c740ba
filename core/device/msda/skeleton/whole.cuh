// The skeleton of a kernel that shares nothing with the others: its one slot is the kernel itself.
//
//   template <class Problem, class Parameters> struct Kernel {
//     static constexpr LaunchShape kShape = {...};
//     static constexpr Extent kWorkspace = {...};       // optional: arguments.workspace[0]
//     static constexpr LaunchShape kPrepassShape = ...; // optional, with prepass(...) as run(...)
//     __device__ static void run(const Arguments& arguments, unsigned char* shared);
//   };
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>

namespace msda::whole {

template <class ProblemType>
struct Defaults {
  using Problem = ProblemType;
};

template <class C>
__global__ void __launch_bounds__(C::Kernel::kShape.threads)
    kernel(const __grid_constant__ Arguments arguments) {
  C::Kernel::run(arguments, simt::shared_memory());
}

template <class C, Slot slot>
__global__ void prepass(const __grid_constant__ Arguments arguments) {
  if constexpr (requires { C::Kernel::kPrepassShape; }) {
    C::Kernel::prepass(arguments, simt::shared_memory());
  }
}

template <class Kernel>
constexpr LaunchPlan make_plan() {
  LaunchPlan plan = {};
  plan.main = Kernel::kShape;
  if constexpr (requires { Kernel::kWorkspace; }) plan.workspace[0] = Kernel::kWorkspace;
  if constexpr (requires { Kernel::kPrepassShape; }) {
    plan.has_prepass[0] = 1;
    plan.prepass[0] = Kernel::kPrepassShape;
  }
  return plan;
}

template <class C>
__device__ const LaunchPlan plan = make_plan<typename C::Kernel>();

}  // namespace msda::whole
