// While a tile is computed, cp.async copies the points of the next `stages` - 1
// tiles of the item to shared memory. A warp that holds whole rows stages these by itself and waits
// for no other warp.
#pragma once

#include <msda/parts/staged.cuh>
#include <msda/ptx/async_copy.cuh>

namespace msda::async_pipeline {

template <class K, class Parameters>
class PointFetch {
  static constexpr int kStages = static_cast<int>(Parameters::stages);
  using Rows = StagedRows<K>;
  using Threads = typename Rows::Threads;
  using Runs = PointRuns<K>;

 public:
  static constexpr const char* idle() { return no_next_tile<K>(); }
  struct Storage {
    typename Rows::Tile tile[kStages];
  };

  __device__ PointFetch(const Arguments& arguments, Storage& storage)
      : arguments_(arguments), storage_(storage) {}

  template <class FlatRow>
  __device__ void enter(const FlatRow& flat_row, bool first, long long rows_left) {
    if (first) {
      Threads::sync();  // the item before has been read
#pragma unroll
      for (int ahead = 0; ahead < kStages - 1; ++ahead) begin(flat_row, ahead, rows_left);
    } else {
      stage_ = stage_ + 1 == kStages ? 0 : stage_ + 1;
      Threads::sync();  // the stage that is filled next has been read
    }
    begin(flat_row, kStages - 1, rows_left);
    ptx::cp_async_wait_group<kStages - 1>();
    Threads::sync();
  }
  template <int n>
  __device__ auto points(long long, int row_in_tile, int first) const {
    return Rows::template read<n>(storage_.tile[stage_].row[row_in_tile], first);
  }
  __device__ auto run(long long, int n) const {
    const auto run = Runs::run(n);
    return Rows::template read<Runs::kPoints>(storage_.tile[stage_].row[run.row], run.first);
  }

 private:
  /// Begins the copies of the tile `ahead` tiles after this one; past the item the group is empty.
  template <class FlatRow>
  __device__ void begin(const FlatRow& flat_row, int ahead, long long rows_left) const {
    if (static_cast<long long>(ahead) * kTileRows<K> < rows_left) {
      const int stage = stage_ + ahead;
      auto& tile = storage_.tile[stage < kStages ? stage : stage - kStages];
      Rows::for_each_word(arguments_, flat_row, ahead,
                          [&tile](const auto* from, int row, int word, int) {
                            auto* to = Rows::word(tile, row, word);
                            if constexpr (Rows::kWordBytes >= 4) {
                              ptx::cp_async<Rows::kWordBytes>(to, from);
                            } else {  // rows of an odd number of 2-byte elements
                              *to = *from;
                            }
                          });
    }
    ptx::cp_async_commit_group();
  }

  const Arguments& arguments_;
  Storage& storage_;
  int stage_ = 0;
};

}  // namespace msda::async_pipeline
