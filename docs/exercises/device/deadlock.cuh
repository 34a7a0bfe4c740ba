// Exercise 3. A block computes one row: its first warp, the producer, copies the weights of the
// row's points to shared memory; the other warps, consumers, wait for them at an mbarrier.
#pragma once

#include <msda/ptx/barrier.cuh>

#include <exercises/sampling.cuh>

namespace msda::exercises {

template <class K, bool repaired>
struct Deadlock {
  using S = Sampling<K>;
  static constexpr LaunchShape kShape = {
      .threads = 32 + S::kChannels, .rows_per_query = S::Problem::kHeads, .rows_per_item = 1};
  struct Storage {
    float weights[S::kPointsOfRow];
    ptx::Barrier full;
  };

  __device__ static void run(const ForwardArguments& arguments, Storage& storage) {
    const long long block = simt::block();
    const auto row = S::row_of(arguments, block / S::rows(arguments), block % S::rows(arguments));
    if (simt::thread() == 0) ptx::mbarrier_init(&storage.full, repaired ? 1 : 32);
    simt::syncthreads();
    if (simt::warp() == 0) {
      for (int point = static_cast<int>(simt::lane()); point < S::kPointsOfRow; point += 32) {
        storage.weights[point] = S::weight(arguments, row, point);
      }
      simt::syncwarp();
      if (simt::lane() == 0) ptx::mbarrier_arrive(&storage.full);
    } else {
      ptx::mbarrier_wait(&storage.full, 0);
      consume(arguments, row, storage, static_cast<int>(simt::thread()) - 32);
    }
  }

  __device__ static void consume(const ForwardArguments& arguments, const typename S::Row& row,
                                 const Storage& storage, int channel) {
    float sum = 0;
    for (int point = 0; point < S::kPointsOfRow; ++point) {
      sum +=
          storage.weights[point] * S::bilinear(arguments, row, point, [&](int level, int x, int y) {
            return S::is_inside(level, x, y) ? to_float(S::pixel(row, level, x, y)[channel]) : 0.0F;
          });
    }
    S::write(arguments, row, channel, sum);
  }
};

}  // namespace msda::exercises
