// The loads of the next tile's points are in flight while this tile is computed.
// Their destination is registers of the thread that will compute the taps, if metadata threads do
// so for all lanes. Otherwise registers are copied to shared memory when the tile begins.
#pragma once

#include <msda/parts/staged.cuh>

namespace msda::prefetch_query {

/// A metadata thread's runs of points. They are requested when the tile before begins or, with
/// `behind_values`, after its first values: a multiprocessor returns a warp's loads in order, so
/// that values would wait for points that were requested earlier.
template <class K, bool behind_values>
class RunReader {
  using Runs = PointRuns<K>;
  using Points = typename K::Points::template Stored<Runs::kPoints>;

 public:
  struct Storage {};

  __device__ RunReader(const Arguments& arguments, Storage&) : arguments_(arguments) {}

  template <class FlatRow>
  __device__ void enter(const FlatRow& flat_row, bool first, long long rows_left) {
    if (first) load(flat_row, 0);
#pragma unroll
    for (int n = 0; n < Runs::kRunsPerThread; ++n) current_[n] = next_[n];
    if constexpr (!behind_values) ask(flat_row, rows_left);
  }
  template <class FlatRow>
  __device__ void prefetch(const FlatRow& flat_row, long long rows_left) requires(behind_values) {
    ask(flat_row, rows_left);
  }
  __device__ const Points& run(long long, int n) const { return current_[n]; }
  /// Points of any run.
  template <int n>
  __device__ auto points(long long flat_row, int, int first) const {
    return K::Points::template load<n>(arguments_, {flat_row, 0}, first);
  }

 private:
  template <class FlatRow>
  __device__ void ask(const FlatRow& flat_row, long long rows_left) {
    if (rows_left > kTileRows<K>) load(flat_row, kTileRows<K>);
  }
  template <class FlatRow>
  __device__ void load(const FlatRow& flat_row, int rows_ahead) {
#pragma unroll
    for (int n = 0; n < Runs::kRunsPerThread; ++n) {
      const auto run = Runs::run(n);
      if (run.exists) {
        next_[n] = K::Points::template load<Runs::kPoints>(
            arguments_, flat_row(rows_ahead + run.row), run.first);
      }
    }
  }

  const Arguments& arguments_;
  Points current_[Runs::kRunsPerThread];
  Points next_[Runs::kRunsPerThread];
};

/// Whole rows, of which every lane may read any point.
template <class K>
class RowReader {
  using Rows = StagedRows<K>;
  using Threads = typename Rows::Threads;
  using Word = typename Rows::Word;

 public:
  struct Storage {
    typename Rows::Tile tile;
  };

  __device__ RowReader(const Arguments& arguments, Storage& storage)
      : arguments_(arguments), storage_(storage) {}

  template <class FlatRow>
  __device__ void enter(const FlatRow& flat_row, bool first, long long rows_left) {
    if (first) load(flat_row, 0);
    Threads::sync();  // the tile before has been read
    Rows::for_each_word(arguments_, flat_row, 0, [this](const Word*, int row, int word, int n) {
      *Rows::word(storage_.tile, row, word) = next_[n];
    });
    Threads::sync();
    if (rows_left > kTileRows<K>) load(flat_row, 1);
  }
  template <int n>
  __device__ auto points(long long, int row_in_tile, int first) const {
    return Rows::template read<n>(storage_.tile.row[row_in_tile], first);
  }

 private:
  template <class FlatRow>
  __device__ void load(const FlatRow& flat_row, int ahead) {
    Rows::for_each_word(arguments_, flat_row, ahead, [this](const Word* from, int, int, int n) {
      next_[n] = K::Cache::load_stream(from);
    });
  }

  const Arguments& arguments_;
  Storage& storage_;
  Word next_[Rows::kWordsPerThread];
};

template <class K, class Parameters>
using Reader =
    Conditional<K::Metadata::kIsCooperative, RunReader<K, Parameters::behind_values>, RowReader<K>>;

template <class K, class Parameters>
struct PointFetch : Reader<K, Parameters> {
  static constexpr const char* idle() { return no_next_tile<K>(); }
  using Base = Reader<K, Parameters>;
  using Base::Base;
};

}  // namespace msda::prefetch_query
