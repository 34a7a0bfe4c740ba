// Exercise 4. A block computes one row, one element a thread, and tests by itself whether a corner
// lies in the level.
#pragma once

#include <exercises/sampling.cuh>

namespace msda::exercises {

template <class K, bool repaired>
struct Edge {
  using S = Sampling<K>;
  static constexpr LaunchShape kShape = {
      .threads = S::kChannels, .rows_per_query = S::Problem::kHeads, .rows_per_item = 1};
  struct Storage {};

  __device__ static bool is_inside(int level, int x, int y) {
    const int width = S::Problem::width(level);
    const int height = S::Problem::height(level);
    if constexpr (repaired) return x >= 0 && y >= 0 && x < width && y < height;
    return x >= 0 && y >= 0 && x <= width && y <= height;
  }

  __device__ static void run(const ForwardArguments& arguments, Storage&) {
    const long long block = simt::block();
    const auto row = S::row_of(arguments, block / S::rows(arguments), block % S::rows(arguments));
    const int channel = static_cast<int>(simt::thread());
    float sum = 0;
    for (int point = 0; point < S::kPointsOfRow; ++point) {
      sum += S::weight(arguments, row, point) *
             S::bilinear(arguments, row, point, [&](int level, int x, int y) {
               return is_inside(level, x, y) ? to_float(S::pixel(row, level, x, y)[channel]) : 0.0F;
             });
    }
    S::write(arguments, row, channel, sum);
  }
};

}  // namespace msda::exercises
