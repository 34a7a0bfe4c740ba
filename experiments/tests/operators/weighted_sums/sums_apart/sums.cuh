// Slot "sums" of the skeleton scaled-rows: sums in float32 beside the output, which are converted
// to its type after the main kernel.
#pragma once

#include <weighted_sums/skeleton.cuh>

namespace msda::sums_apart {

template <class K, class Parameters>
struct Sums {
  using Arguments = weighted_sums::Arguments;
  static constexpr long long kWidth = weighted_sums::kWidth<K>;
  static constexpr bool kWritesSums = true;
  static constexpr Extent kWorkspace = {.per_image =
                                            kWidth * static_cast<long long>(sizeof(float))};
  static constexpr Zeroed kZeroed = kZeroedEachLaunch;

  __device__ static float* apart(const Arguments& arguments) {
    return static_cast<float*>(arguments.workspace[weighted_sums::kSums]);
  }
  __device__ static void add(const Arguments& arguments, long long at, float value) {
    simt::atomic_add(apart(arguments) + at, value);
  }

  struct Postpass {
    static constexpr int kThreads = 128;
    static constexpr LaunchShape kShape = grid_stride_shape(kThreads, 1);
    struct Storage {};

    __device__ static void run(const Arguments& arguments, Storage&) {
      if constexpr (!Parameters::convert) return;
      using Output = typename K::Problem::Output;
      auto* sums = static_cast<Output*>(arguments.sums);
      const long long count = arguments.batch * kWidth;
      const long long stride = static_cast<long long>(simt::blocks()) * kThreads;
      long long at = static_cast<long long>(simt::block()) * kThreads + simt::thread();
      for (; at < count; at += stride) {
        sums[at] = from_float<Output>(apart(arguments)[at]);
      }
    }
  };
};

}  // namespace msda::sums_apart
