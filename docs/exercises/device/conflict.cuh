// Exercise 2. A block computes as many rows as a row has channels, one element a thread. Which
// element a thread takes decides whether the lanes of a warp read neighbouring words.
#pragma once

#include <exercises/sampling.cuh>

namespace msda::exercises {

template <class K, bool repaired>
struct Conflict {
  using S = Sampling<K>;
  static constexpr int kRows = 4;
  static constexpr LaunchShape kShape = {.threads = S::kChannels * kRows,
                                         .rows_per_query = S::Problem::kHeads,
                                         .rows_per_item = kRows};
  struct Storage {};

  __device__ static void run(const ForwardArguments& arguments, Storage&) {
    const long long blocks = (S::rows(arguments) + kRows - 1) / kRows;  // of an image
    const long long block = simt::block();
    const int thread = static_cast<int>(simt::thread());
    const int in_block = repaired ? thread / S::kChannels : thread % kRows;
    const int channel = repaired ? thread % S::kChannels : thread / kRows;
    const long long in_image = block % blocks * kRows + in_block;
    if (in_image >= S::rows(arguments)) return;
    const auto row = S::row_of(arguments, block / blocks, in_image);
    S::write(arguments, row, channel, S::element(arguments, row, channel));
  }
};

}  // namespace msda::exercises
