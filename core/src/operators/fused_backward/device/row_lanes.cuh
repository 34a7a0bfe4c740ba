// How the lanes of a row share its points, and the softmax of a row apart from its points.
#pragma once

#include <msda/level_points.cuh>
#include <msda/simt/thread.cuh>
#include <msda/vector.cuh>

namespace msda::fused_backward {

/// `count` points of a row among `lanes` neighbouring lanes: runs of kTogether neighbouring points
/// of a level, of which lane i has the i-th and then every lanes-th.
template <class Problem, int lanes, int count>
struct RunsOfLane {
  static constexpr int kTogether = [] {
    constexpr int kMostBytes = 16;
    int together = kMostBytes / (2 * static_cast<int>(sizeof(typename Problem::Location)));
    while (together > 1 && (kPointsDivisor<Problem> % together != 0 || together * lanes > count)) {
      together /= 2;
    }
    return together;
  }();
  static constexpr int kRuns = (count + kTogether * lanes - 1) / (kTogether * lanes);

  /// First point of the lane's n-th run; `count` or more: there is none.
  __device__ static int first(int n) {
    return (static_cast<int>(simt::lane()) % lanes + n * lanes) * kTogether;
  }
};

/// Sum over `lanes` neighbouring lanes, a power of two, of which all lanes of the warp take part.
template <int lanes>
__device__ __forceinline__ float sum_over(float number) {
#pragma unroll
  for (int step = 1; step < lanes; step *= 2) number += simt::shfl_xor_sync(number, step);
  return number;
}
/// The largest number, which is NaN only where all are.
template <int lanes>
__device__ __forceinline__ float most_over(float number) {
#pragma unroll
  for (int step = 1; step < lanes; step *= 2) {
    number = fmaxf(number, simt::shfl_xor_sync(number, step));
  }
  return number;
}

}  // namespace msda::fused_backward
