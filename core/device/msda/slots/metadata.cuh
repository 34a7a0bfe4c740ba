// Slot "metadata": who computes the taps (where to read, with which weight) and how lanes get them.
#pragma once

#include <msda/launch.cuh>
#include <msda/sampling.cuh>
#include <msda/slots/pipeline.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/slots/taps.cuh>

namespace msda {

/// True when some level is one pixel wide or high.
template <class Problem>
constexpr bool has_single_pixels() {
  for (int level = 0; level < Problem::kLevels; ++level) {
    if (Problem::width(level) == 1 || Problem::height(level) == 1) return true;
  }
  return false;
}

/// Taps of a sample of level `level` for the lanes of side `side`. The level may be a run-time
/// value.
template <class K>
__device__ __forceinline__ Taps<K> make_taps(const Sample& sample, int level, int side) {
  using Problem = typename K::Problem;
  using Mapping = typename K::Mapping;
  const int width = Problem::width(level);
  const int height = Problem::height(level);
  const auto pixels_from = [](int pixel, float location, int size) {
    return K::Arithmetic::pixels_from(pixel, location, size);
  };
  Taps<K> taps;
  if constexpr (K::Source::kBlends) {
    const float x = pixels_from(0, sample.x, width);
    const float y = pixels_from(0, sample.y, height);
    const bool counts = x > -1.0F && x < static_cast<float>(width) && y > -1.0F &&
                        y < static_cast<float>(height);  // false for what is no number
    taps.place = K::Source::place(counts ? x : 0.0F, counts ? y : 0.0F);
    taps.weight[0] = K::Arithmetic::weight(counts ? sample.weight : 0.0F);
  } else {
    constexpr bool kBordered = K::Layout::kBordered;
    constexpr bool kSingle = has_single_pixels<Problem>();
    const Pair x = pair<kBordered, kSingle>(sample.x, width, pixels_from);
    const Pair y = pair<kBordered, kSingle>(sample.y, height, pixels_from);
    taps.place = K::Source::template place<K>(level, x.first, y.first);
#pragma unroll
    for (int t = 0; t < Mapping::kTaps; ++t) {
      const float column = Mapping::kSides == 2 ? (side == 0 ? x.weight[0] : x.weight[1])
                                                : x.weight[Mapping::tap_column(t)];
      const float row = y.weight[Mapping::tap_row(t)] * sample.weight;
      taps.weight[t] = K::Arithmetic::weight(column * row);
    }
  }
  return taps;
}

/// Default: every lane computes its own taps.
template <class Problem, class Parameters>
struct InlineMetadata {
  static constexpr Slot kSlot = kMetadata;
  /// True when metadata threads (metadata_threads.cuh) compute the taps of rows for all their
  /// lanes.
  static constexpr bool kIsCooperative = false;
  template <class K>
  static constexpr unsigned kSharedBytes = 0;

  template <class K>
  class Reader {
   public:
    __device__ Reader(const Arguments& arguments, unsigned char* shared) {
      static_cast<void>(arguments);
      static_cast<void>(shared);
    }
    /// All threads of the block turn to the tile of rows from `first` on. `flat_row(r)` is the flat
    /// row (b*Q + q)*H + h of row r of the tile.
    template <class Samples, class FlatRow>
    __device__ void enter(const Samples& samples, const FlatRow& flat_row) {
      static_cast<void>(samples);
      static_cast<void>(flat_row);
    }
    /// Taps of `points` points from `point` on, of level `level`, for row `row_in_tile`.
    template <int level, int points, class Samples>
    __device__ void read(const Samples& samples, long long flat_row, int row_in_tile, int point,
                         Taps<K> (&taps)[points]) const {
#pragma unroll
      for (int p = 0; p < points; ++p) {
        taps[p] = make_taps<K>(
            samples.sample(flat_row, row_in_tile, level * Problem::kPoints + point + p), level,
            K::Mapping::side());
      }
    }
  };
};

}  // namespace msda
