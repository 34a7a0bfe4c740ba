// Slot "metadata": who computes the taps (where to read, with which weight) and how lanes get them.
#pragma once

#include <msda/launch.cuh>
#include <msda/sampling.cuh>
#include <msda/slots/pipeline.cuh>
#include <msda/slots/schedule.cuh>

namespace msda {

/// Taps of one lane for one point.
template <class K>
struct Taps {
  typename K::Problem::Offset offset[K::Mapping::kTaps];
  float weight[K::Mapping::kTaps];
};

/// The taps of mapping K for a sample of level `level`.
template <class K, int level>
__device__ __forceinline__ Taps<K> make_taps(const Sample& sample) {
  using Problem = typename K::Problem;
  constexpr int kWidth = Problem::width(level);
  constexpr int kHeight = Problem::height(level);
  const Footprint f = footprint(sample.x, sample.y, sample.weight, kWidth, kHeight);
  Taps<K> taps;
#pragma unroll
  for (int t = 0; t < K::Mapping::kTaps; ++t) {
    const Corner c = corner<K::Layout::kBordered>(f, K::Mapping::tap_right(t),
                                                  K::Mapping::tap_below(t), kWidth, kHeight);
    taps.offset[t] = K::Source::template offset<K, level>(c.x, c.y);
    taps.weight[t] = c.weight;
  }
  return taps;
}

/// Default: every lane computes its own taps.
template <class Problem, class Parameters>
struct InlineMetadata {
  static constexpr Slot kSlot = kMetadata;
  template <class K>
  static constexpr unsigned kSharedBytes = 0;

  template <class K>
  class Reader {
   public:
    __device__ Reader(const Arguments& arguments, unsigned char* shared) {
      static_cast<void>(arguments);
      static_cast<void>(shared);
    }
    /// All threads of the block turn to the rows from `first` on.
    template <class Samples>
    __device__ void enter(const WorkItem& item, long long first, const Samples& samples) {
      static_cast<void>(item);
      static_cast<void>(first);
      static_cast<void>(samples);
    }
    /// Weights and offsets of `points` points from `point` on, of level `level`.
    template <int level, int points, class Samples>
    __device__ void read(
        const Samples& samples, long long flat_row, int row_in_block, int point,
        typename K::Problem::Offset (&offset)[points][K::Mapping::kTaps],
        typename K::Arithmetic::Weight (&weight)[points][K::Mapping::kTaps]) const {
      static_cast<void>(row_in_block);
#pragma unroll
      for (int p = 0; p < points; ++p) {
        const Taps<K> taps = make_taps<K, level>(samples.sample(flat_row, level, point + p));
#pragma unroll
        for (int t = 0; t < K::Mapping::kTaps; ++t) {
          offset[p][t] = taps.offset[t];
          weight[p][t] = K::Arithmetic::weight(taps.weight[t]);
        }
      }
    }
  };
};

}  // namespace msda
