// Every point's taps are computed by one thread and read by all lanes of its row from shared
// memory, several points per read. Where whole rows lie in a warp, that warp computes its own rows'
// taps and only it waits; otherwise the block does.
#pragma once

#include <msda/slots/metadata.cuh>
#include <msda/slots/metadata_threads.cuh>
#include <shared_metadata/format.cuh>

namespace msda::shared_metadata {

template <class Problem, class Parameters>
struct Metadata {
  static constexpr Slot kSlot = kMetadata;
  static constexpr bool kIsCooperative = true;

  template <class K>
  using Format = typename FormatOf<Parameters::packed && can_pack<K>(), K>::Type;

  template <class K>
  static constexpr unsigned kSharedBytes =
      K::Mapping::kRows* K::Mapping::kRowsPerLane* Format<K>::kRowBytes;

  template <class K>
  class Reader {
    using Mapping = typename K::Mapping;
    using Runs = PointRuns<K>;

   public:
    __device__ Reader(const Arguments& arguments, unsigned char* shared)
        : first_(shared), shared_(shared) {
      static_cast<void>(arguments);
    }

    /// Of several tiles' taps, in the specialised skeleton: those that enter(), read() and place()
    /// speak of.
    __device__ void turn_to(int buffer) {
      shared_ = first_ + buffer * align_shared(kSharedBytes<K>);
    }
    /// Place of point `point` (of all levels) of row `row_in_tile`.
    __device__ typename K::Source::Place place(int row_in_tile, int point) const {
      return Format<K>::place(row(row_in_tile), point);
    }

    template <class Samples, class FlatRow>
    __device__ void enter(const Samples& samples, const FlatRow& flat_row) {
      MetadataThreads<K>::sync();  // the taps of the tile before have been read
#pragma unroll(kUnrolledRuns)
      for (int n = 0; n < Runs::kRunsPerThread; ++n) {
        const auto run = Runs::run(n);
        if (!run.exists) continue;
        const auto& stored = samples.run(flat_row(run.row), n);
        Taps<K> taps[Mapping::kSides][Runs::kPoints];
#pragma unroll
        for (int p = 0; p < Runs::kPoints; ++p) {
          const Sample sample = stored[p];
#pragma unroll
          for (int side = 0; side < Mapping::kSides; ++side) {
            taps[side][p] = make_taps<K>(sample, run.level, side);
          }
        }
        Format<K>::template write<Runs::kPoints>(row(run.row), run.first, taps);
      }
      MetadataThreads<K>::sync();
    }

    template <int level, int points, class Samples>
    __device__ void read(const Samples& samples, long long flat_row, int row_in_tile, int point,
                         Taps<K> (&taps)[points]) const {
      static_cast<void>(samples);
      static_cast<void>(flat_row);
      // Batches begin at multiples of the batch's points, in levels of Problem::kPoints.
      constexpr int kMultiple = greatest_common_divisor(Problem::kPoints, K::Unroll::kPoints);
      Format<K>::template read<points, kMultiple>(row(row_in_tile),
                                                  level * Problem::kPoints + point, taps);
    }

   private:
    /// Runs of a thread that are computed together. A few producer warps have many each: all of
    /// them at a time would not fit their registers.
    static constexpr int kUnrolledRuns = Runs::kRunsPerThread <= 4 ? Runs::kRunsPerThread : 2;
    static constexpr int greatest_common_divisor(int a, int b) {
      while (b != 0) {
        const int rest = a % b;
        a = b;
        b = rest;
      }
      return a;
    }
    __device__ unsigned char* row(int in_tile) const {
      return shared_ + in_tile * Format<K>::kRowBytes;
    }

    unsigned char* first_;
    unsigned char* shared_;
  };
};

}  // namespace msda::shared_metadata
