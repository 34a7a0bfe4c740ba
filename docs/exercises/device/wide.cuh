// Exercise 5. A thread computes the channels of one 16-byte word, so that it reads values 16 bytes
// at a time: the optimization.
#pragma once

#include <exercises/sampling.cuh>

namespace msda::exercises {

template <class K, bool repaired>
struct Wide {
  using S = Sampling<K>;
  using Value = typename S::Value;
  static constexpr int kWord = 16 / static_cast<int>(sizeof(Value));  ///< channels of a thread
  static constexpr LaunchShape kShape = {
      .threads = 32, .rows_per_query = S::Problem::kHeads, .rows_per_item = 1};
  struct Storage {};

  struct alignas(16) Word {
    Value channel[kWord];
  };

  __device__ static void run(const ForwardArguments& arguments, Storage&) {
    const long long block = simt::block();
    const auto row = S::row_of(arguments, block / S::rows(arguments), block % S::rows(arguments));
    for (int first = static_cast<int>(simt::thread()) * kWord; first < S::kChannels;
         first += 32 * kWord) {
      float sums[kWord] = {};
      for (int point = 0; point < S::kPointsOfRow; ++point) add(arguments, row, point, first, sums);
      for (int i = 0; i < kWord; ++i) S::write(arguments, row, first + i, sums[i]);
    }
  }

  __device__ static void add(const ForwardArguments& arguments, const typename S::Row& row,
                             int point, int first, float (&sums)[kWord]) {
    const float weight = S::weight(arguments, row, point);
    for (int i = 0; i < kWord; ++i) {
      sums[i] +=
          weight * S::bilinear(arguments, row, point, [&](int level, int x, int y) {
            return S::is_inside(level, x, y) ? read(S::pixel(row, level, x, y) + first, i) : 0.0F;
          });
    }
  }

  /// Channel `i` of the word at `from`.
  __device__ static float read(const Value* from, int i) {
    if constexpr (repaired) {
      const Word word = *reinterpret_cast<const Word*>(from);
      return to_float(word.channel[i]);
    } else {
      return to_float(from[i]);
    }
  }
};

}  // namespace msda::exercises
