// The loads of the next tile's locations and weights are in flight while this tile is computed.
// They land in registers: those of the thread that will compute the taps, where metadata threads do
// that for all lanes; otherwise from there in shared memory, when the tile begins.
#pragma once

#include <msda/slots/staged.cuh>

namespace msda::prefetch_query {

template <class Problem, class Parameters>
struct Pipeline {
  static constexpr Slot kSlot = kPipeline;
  template <class K>
  static constexpr unsigned kSharedBytes =
      K::Metadata::kIsCooperative ? 0 : StagedRows<K>::kTileBytes;

  /// A metadata thread's own runs of points.
  template <class K>
  class RunReader {
    using Runs = PointRuns<K>;
    using Samples = StoredSamples<Problem, Runs::kPoints>;
    static constexpr int kTileRows = K::Mapping::kRows * K::Mapping::kRowsPerLane;

   public:
    __device__ RunReader(const Arguments& arguments, unsigned char* shared)
        : arguments_(arguments) {
      static_cast<void>(shared);
    }
    template <class FlatRow>
    __device__ void enter(const FlatRow& flat_row, bool first, long long rows_left) {
      if (first) load(flat_row, 0);
#pragma unroll
      for (int n = 0; n < Runs::kRunsPerThread; ++n) current_[n] = next_[n];
      if (rows_left > kTileRows) load(flat_row, kTileRows);
    }
    __device__ const Samples& run(long long flat_row, int n) const {
      static_cast<void>(flat_row);
      return current_[n];
    }

   private:
    template <class FlatRow>
    __device__ void load(const FlatRow& flat_row, int rows_ahead) {
#pragma unroll
      for (int n = 0; n < Runs::kRunsPerThread; ++n) {
        const auto run = Runs::run(n);
        if (run.exists) {
          next_[n] =
              load_samples<K, Runs::kPoints>(arguments_, flat_row(rows_ahead + run.row), run.first);
        }
      }
    }

    const Arguments& arguments_;
    Samples current_[Runs::kRunsPerThread];
    Samples next_[Runs::kRunsPerThread];
  };

  /// Whole rows, for every lane to read any point.
  template <class K>
  class RowReader {
    using Rows = StagedRows<K>;
    using Threads = typename Rows::Threads;
    using Word = ptx::Word<Rows::kWordBytes>;

   public:
    __device__ RowReader(const Arguments& arguments, unsigned char* shared)
        : arguments_(arguments), tile_(shared) {}

    template <class FlatRow>
    __device__ void enter(const FlatRow& flat_row, bool first, long long rows_left) {
      if (first) load(flat_row, 0);
      Threads::sync();  // the tile before is read to its end
      Rows::for_each_word(arguments_, flat_row, 0, [this](const unsigned char*, int at, int n) {
        *reinterpret_cast<Word*>(tile_ + at) = next_[n];
      });
      Threads::sync();
      if (rows_left > Rows::kTileRows) load(flat_row, 1);
    }
    __device__ Sample sample(long long flat_row, int row_in_tile, int point) const {
      static_cast<void>(flat_row);
      return Rows::template read<1>(tile_, row_in_tile, point)[0];
    }

   private:
    template <class FlatRow>
    __device__ void load(const FlatRow& flat_row, int ahead) {
      Rows::for_each_word(arguments_, flat_row, ahead,
                          [this](const unsigned char* from, int, int n) {
                            next_[n] = K::Cache::load_stream(reinterpret_cast<const Word*>(from));
                          });
    }

    const Arguments& arguments_;
    unsigned char* tile_;
    Word next_[Rows::kWordsPerThread];
  };

  template <bool cooperative, class K>
  struct ReaderOf {
    using Type = RowReader<K>;
  };
  template <class K>
  struct ReaderOf<true, K> {
    using Type = RunReader<K>;
  };
  template <class K>
  using Reader = typename ReaderOf<K::Metadata::kIsCooperative, K>::Type;
};

}  // namespace msda::prefetch_query
