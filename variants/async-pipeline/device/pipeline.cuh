// While a tile is computed, cp.async copies the locations and weights of the next `stages` - 1
// tiles of the item to shared memory. A warp that holds whole rows stages its own and waits for
// nobody else.
#pragma once

#include <msda/ptx/async_copy.cuh>
#include <msda/slots/staged.cuh>

namespace msda::async_pipeline {

template <class Problem, class Parameters>
struct Pipeline {
  static constexpr Slot kSlot = kPipeline;
  static constexpr int kStages = static_cast<int>(Parameters::stages);
  template <class K>
  static constexpr unsigned kSharedBytes = kStages* StagedRows<K>::kTileBytes;

  template <class K>
  class Reader {
    using Rows = StagedRows<K>;
    using Threads = typename Rows::Threads;
    using Runs = PointRuns<K>;

   public:
    __device__ Reader(const Arguments& arguments, unsigned char* shared)
        : arguments_(arguments), shared_(shared) {}

    template <class FlatRow>
    __device__ void enter(const FlatRow& flat_row, bool first, long long rows_left) {
      if (first) {
        Threads::sync();  // the item before is read to its end
#pragma unroll
        for (int ahead = 0; ahead < kStages - 1; ++ahead) begin(flat_row, ahead, rows_left);
      } else {
        stage_ = stage_ + 1 == kStages ? 0 : stage_ + 1;
        Threads::sync();  // the stage that is filled next is read to its end
      }
      begin(flat_row, kStages - 1, rows_left);
      ptx::wait_for_copies<kStages - 1>();
      Threads::sync();
    }
    __device__ Sample sample(long long flat_row, int row_in_tile, int point) const {
      static_cast<void>(flat_row);
      return Rows::template read<1>(tile(stage_), row_in_tile, point)[0];
    }
    __device__ auto run(long long flat_row, int n) const {
      static_cast<void>(flat_row);
      const auto run = Runs::run(n);
      return Rows::template read<Runs::kPoints>(tile(stage_), run.row, run.first);
    }

   private:
    __device__ unsigned char* tile(int stage) const { return shared_ + stage * Rows::kTileBytes; }

    /// Begins the copies of the tile `ahead` of the current one; beyond the item an empty group
    /// keeps count.
    template <class FlatRow>
    __device__ void begin(const FlatRow& flat_row, int ahead, long long rows_left) const {
      if (static_cast<long long>(ahead) * Rows::kTileRows < rows_left) {
        const int stage = stage_ + ahead;
        unsigned char* to = tile(stage < kStages ? stage : stage - kStages);
        Rows::for_each_word(
            arguments_, flat_row, ahead, [to](const unsigned char* from, int at, int) {
              if constexpr (Rows::kWordBytes >= 4) {
                ptx::copy_async<Rows::kWordBytes>(to + at, from);
              } else {  // rows of an odd number of 2-byte elements
                using Word = ptx::Word<Rows::kWordBytes>;
                *reinterpret_cast<Word*>(to + at) = *reinterpret_cast<const Word*>(from);
              }
            });
      }
      ptx::commit_copies();
    }

    const Arguments& arguments_;
    unsigned char* shared_;
    int stage_ = 0;
  };
};

}  // namespace msda::async_pipeline
