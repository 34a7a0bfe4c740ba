// The lanes of a row (or of one side of it) compute the taps of different points of a batch and
// exchange them by shuffles. If the lanes of a row are in two warps, each lane computes all taps. A
// batch of as many points as a row has lanes (slot unroll) leaves no lane idle.
#pragma once

#include <msda/simt/thread.cuh>
#include <msda/slots/metadata.cuh>

namespace msda::warp_shuffle {

template <class K, class Parameters>
class Metadata : public InlineMetadata<K, Parameters> {
  using Inline = InlineMetadata<K, Parameters>;
  using Mapping = typename K::Mapping;
  static constexpr int kWords = static_cast<int>(sizeof(Taps<K>) / sizeof(unsigned));

 public:
  static constexpr const char* idle() {
    return !Mapping::kWarpHoldsRows ? "a row's lanes lie in two warps: each computes its own taps"
           : Mapping::kLanesPerSide == 1
               ? "a row has one lane: there is nobody to exchange taps with"
           : kBatch<K> == 1 ? "a batch has one point, which all lanes of a row compute"
                            : nullptr;
  }
  using Inline::Inline;

  template <int level, int points, class PointFetch>
  __device__ void read(const PointFetch& point_fetch, long long flat_row, int row_in_tile,
                       int point, Taps<K> (&taps)[kBatch<K>]) const {
    if constexpr (!Mapping::kWarpHoldsRows) {
      Inline::template read<level, points>(point_fetch, flat_row, row_in_tile, point, taps);
    } else {
      constexpr int kGroup = Mapping::kLanesPerSide;
      const int in_group = static_cast<int>(simt::lane()) % kGroup;
#pragma unroll
      for (int first = 0; first < points; first += kGroup) {
        // A lane beyond the batch repeats its last point, so that the warp stays together.
        const int mine = min(first + in_group, points - 1);
        const Taps<K> own =
            this->template taps_of<level>(point_fetch, flat_row, row_in_tile, point + mine);
#pragma unroll
        for (int p = first; p < points && p < first + kGroup; ++p) {
#pragma unroll
          for (int w = 0; w < kWords; ++w) {
            reinterpret_cast<unsigned*>(&taps[p])[w] =
                simt::shfl_sync(reinterpret_cast<const unsigned*>(&own)[w], p - first, kGroup);
          }
        }
      }
    }
  }
};

}  // namespace msda::warp_shuffle
