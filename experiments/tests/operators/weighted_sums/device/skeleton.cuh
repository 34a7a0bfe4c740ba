// The skeleton `scaled-rows` of the operator `weighted-sums`: each thread scales elements of rows
// and hands them to the slot that sums them.
#pragma once

#include <msda/skeleton/plan.cuh>
#include <msda/vector.cuh>

namespace msda::weighted_sums {

/// The last of the operator's list first.
struct Tensors {
  void* sums;          ///< [B, H, C]
  void* scaled;        ///< [B, Q, H, C]
  const void* scales;  ///< [B, Q, H]
  const void* rows;    ///< [B, Q, H, C]
};
struct Arguments : Tensors, LaunchArguments {};

/// The tensor that is accumulated.
inline constexpr unsigned kSumsTensor = kTensors<Arguments> - 1;

enum Slot : int { kSums, kBlock };

/// Sums of an image.
template <class K>
inline constexpr long long kWidth =
    static_cast<long long>(K::Problem::kHeads) * K::Problem::kChannels;

/// add(arguments, at, value): called once for each scaled element, by any thread, with the number
/// of its sum among those of all images. `kWritesSums`: the policy's passes write each sum, so that
/// it need not be cleared.
template <class Policy, class K>
concept SumsPolicy = requires(const Arguments& arguments, long long at, float value) {
  requires kConstant<bool, Policy::kWritesSums>;
  Policy::add(arguments, at, value);
};

template <class Policy, class K>
concept BlockPolicy = requires {
  requires kConstant<int, Policy::kThreads>;
};

/// Default: adds to the output, in whatever order threads come.
template <class K, class Parameters>
struct AtomicSums {
  static_assert(kSame<typename K::Problem::Output, float>, "sums are of float32");
  static constexpr bool kWritesSums = false;
  __device__ static void add(const Arguments& arguments, long long at, float value) {
    simt::atomic_add(static_cast<float*>(arguments.sums) + at, value);
  }
};

template <class K, class Parameters>
struct SmallBlocks {
  static constexpr int kThreads = 64;
};

struct NoParameters {};

template <class ProblemType>
struct Defaults {
  using Problem = ProblemType;
  template <class K>
  using Sums = AtomicSums<K, NoParameters>;
  template <class K>
  using Block = SmallBlocks<K, NoParameters>;
};

template <class C>
struct Composed {
  using Problem = typename C::Problem;
  using Sums = typename C::template Sums<Composed>;
  using Block = typename C::template Block<Composed>;
};

template <class K>
__device__ __forceinline__ void run(const Arguments& arguments) {
  using Problem = typename K::Problem;
  const auto* rows = static_cast<const typename Problem::Value*>(arguments.rows);
  const auto* scales = static_cast<const typename Problem::Weight*>(arguments.scales);
  auto* scaled = static_cast<typename Problem::Output*>(arguments.scaled);
  const long long count = arguments.batch * arguments.queries * kWidth<K>;
  const long long stride = static_cast<long long>(simt::blocks()) * K::Block::kThreads;
  long long at = static_cast<long long>(simt::block()) * K::Block::kThreads + simt::thread();
  for (; at < count; at += stride) {
    const float value = to_float(rows[at]) * to_float(scales[at / Problem::kChannels]);
    const long long image = at / (arguments.queries * kWidth<K>);
    K::Sums::add(arguments, image * kWidth<K> + at % kWidth<K>, value);
    scaled[at] = from_float<typename Problem::Output>(value);
  }
}

template <class C>
__global__ void __launch_bounds__(Composed<C>::Block::kThreads)
    kernel(const __grid_constant__ Arguments arguments) {
  run<Composed<C>>(arguments);
}

template <class C, int slot>
__global__ void prepass(const __grid_constant__ Arguments arguments) {
  if constexpr (slot == kSums) run_pass_of<typename Composed<C>::Sums, kBefore>(arguments);
}

template <class C, int slot>
__global__ void postpass(const __grid_constant__ Arguments arguments) {
  run_pass_of<typename Composed<C>::Sums, kAfter>(arguments);
}

template <class K>
constexpr LaunchPlan make_plan() {
  LaunchPlan plan = {};
  plan.main = grid_stride_shape(K::Block::kThreads, 2);
  plan.tensors = kTensors<Arguments>;
  add_policy<typename K::Sums, Arguments>(plan, kSums);
  if (K::Sums::kWritesSums) plan.overwritten = 1U << kSumsTensor;
  return plan;
}

template <class C>
__device__ const LaunchPlan plan = make_plan<Composed<C>>();

}  // namespace msda::weighted_sums
