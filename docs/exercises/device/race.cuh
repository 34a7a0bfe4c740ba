// Exercise 1. A block computes two rows, one after the other; its threads exchange their sums
// through shared memory, so that each writes the channel opposite to its own.
#pragma once

#include <exercises/sampling.cuh>

namespace msda::exercises {

template <class K, bool repaired>
struct Race {
  using S = Sampling<K>;
  static constexpr int kRows = 2;
  static constexpr LaunchShape kShape = {
      .threads = S::kChannels, .rows_per_query = S::Problem::kHeads, .rows_per_item = kRows};
  struct Storage {
    float sums[S::kChannels];
  };

  __device__ static void run(const ForwardArguments& arguments, Storage& storage) {
    const long long blocks = (S::rows(arguments) + kRows - 1) / kRows;  // of an image
    const long long block = simt::block();
    const int channel = static_cast<int>(simt::thread());
    for (int i = 0; i < kRows; ++i) {
      const long long in_image = block % blocks * kRows + i;
      if (in_image >= S::rows(arguments)) break;  // of all threads alike
      const auto row = S::row_of(arguments, block / blocks, in_image);
      storage.sums[channel] = S::element(arguments, row, channel);
      simt::syncthreads();
      const int opposite = S::kChannels - 1 - channel;
      S::write(arguments, row, opposite, storage.sums[opposite]);
      if constexpr (repaired) simt::syncthreads();
    }
  }
};

}  // namespace msda::exercises
