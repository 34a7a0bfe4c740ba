// The inner loops of the direct skeleton: one tile of rows, from taps to stored sums.
#pragma once

#include <msda/launch.cuh>
#include <msda/slots/metadata.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda::direct {

/// The rows [first, first + kTileRows) of an item, kRowsPerLane for each lane group of the block.
template <class K>
class Tile {
  using Problem = typename K::Problem;
  using Mapping = typename K::Mapping;
  using Sums = typename K::Arithmetic::template Sums<Mapping::kVector>;
  using Source = typename K::Source::template Reader<K>;
  using Value = Vector<typename Source::Value, Mapping::kVector>;
  using Metadata = typename K::Metadata::template Reader<K>;
  using Samples = typename K::Pipeline::template Reader<K>;
  static constexpr int kBlocking = Mapping::kRowsPerLane;

  /// One of this lane's rows.
  struct Row {
    long long flat;  ///< (b*Q + q)*H + h
    typename Source::Base base;
    int in_tile;
  };

 public:
  static constexpr int kRows = Mapping::kRows * kBlocking;

  __device__ Tile(const Arguments& arguments, const WorkItem& item, long long first)
      : arguments_(arguments), item_(item), first_(first) {}

  /// Flat row of row `in_tile` (>= kRows: of a later tile of the item); one beyond the item's end
  /// stands for its last row, so that all lanes of a warp stay together and only the store asks who
  /// is real.
  __device__ long long flat_row(int in_tile) const {
    const long long row = min(first_ + in_tile, item_.last - 1);
    const long long position = K::kByHead ? row : row / Problem::kHeads;
    const int head = K::kByHead ? item_.head : static_cast<int>(row % Problem::kHeads);
    const long long query = K::Order::query(arguments_, item_.image, position);
    return (item_.image * arguments_.queries + query) * Problem::kHeads + head;
  }

  __device__ void compute(const Source& source, const Metadata& metadata,
                          const Samples& samples) const {
    const int group = min(Mapping::row(), Mapping::kRows - 1);
    const int channel = Mapping::channel(item_.channel_block);
    Row row[kBlocking];
    Sums sums[kBlocking];
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      row[r].in_tile = r * Mapping::kRows + group;
      row[r].flat = flat_row(row[r].in_tile);
      const int head = K::kByHead ? item_.head : static_cast<int>(row[r].flat % Problem::kHeads);
      row[r].base = source.base(item_, head, channel);
      sums[r].clear();
    }
    add_all(source, metadata, samples, row, sums);
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      float combined[Mapping::kStored];
      Mapping::combine(sums[r], combined);
      const bool real = Mapping::row() < Mapping::kRows && first_ + row[r].in_tile < item_.last;
      if (real && Mapping::stores()) store(combined, row[r].flat);
    }
  }

 private:
  static constexpr int kBatch =
      K::Unroll::kPoints < Problem::kPoints ? K::Unroll::kPoints : Problem::kPoints;
  static constexpr int kBatchesPerLevel = (Problem::kPoints + kBatch - 1) / kBatch;
  static constexpr int kBatches = Problem::kLevels * kBatchesPerLevel;

  /// Which level the b-th batch belongs to, and which of the level's batches it is. Alternating:
  /// levels 0 and L-1 take turns, then 1 and L-2, and so on.
  struct Visit {
    int level;
    int batch;
  };
  static constexpr Visit visit(int b) {
    if (!K::Unroll::kAlternates) return {b / kBatchesPerLevel, b % kBatchesPerLevel};
    const int pair = b / (2 * kBatchesPerLevel);
    const int in_pair = b % (2 * kBatchesPerLevel);
    if (2 * pair + 1 == Problem::kLevels) return {pair, in_pair};
    return {in_pair % 2 == 0 ? pair : Problem::kLevels - 1 - pair, in_pair / 2};
  }

  template <int points>
  struct Batch {
    Taps<K> taps[kBlocking][points];
    Value value[kBlocking][points][kTaps<K>];
  };

  /// All batches: unrolled with the next batch's loads before this batch's blend, or in a loop.
  __device__ void add_all(const Source& source, const Metadata& metadata, const Samples& samples,
                          const Row (&row)[kBlocking], Sums (&sums)[kBlocking]) const {
    if constexpr (K::Unroll::kLoadsAhead || K::Unroll::kAlternates) {
      const auto first = load<visit(0).level, points_of(0)>(source, metadata, samples, row, 0);
      add_visits<0>(source, metadata, samples, row, sums, first);
    } else {
      add_levels<0>(source, metadata, samples, row, sums);
    }
  }

  static constexpr int points_of(int b) {
    const int left = Problem::kPoints - visit(b).batch * kBatch;
    return left < kBatch ? left : kBatch;
  }

  template <int b, class Loaded>
  __device__ void add_visits(const Source& source, const Metadata& metadata, const Samples& samples,
                             const Row (&row)[kBlocking], Sums (&sums)[kBlocking],
                             const Loaded& loaded) const {
    if constexpr (b + 1 == kBatches) {
      add<visit(b).level>(row, sums, loaded);
    } else if constexpr (K::Unroll::kLoadsAhead) {
      const auto next = load<visit(b + 1).level, points_of(b + 1)>(source, metadata, samples, row,
                                                                   visit(b + 1).batch * kBatch);
      add<visit(b).level>(row, sums, loaded);
      add_visits<b + 1>(source, metadata, samples, row, sums, next);
    } else {
      add<visit(b).level>(row, sums, loaded);
      const auto next = load<visit(b + 1).level, points_of(b + 1)>(source, metadata, samples, row,
                                                                   visit(b + 1).batch * kBatch);
      add_visits<b + 1>(source, metadata, samples, row, sums, next);
    }
  }

  template <int level>
  __device__ void add_levels(const Source& source, const Metadata& metadata, const Samples& samples,
                             const Row (&row)[kBlocking], Sums (&sums)[kBlocking]) const {
    if constexpr (level < Problem::kLevels) {
      constexpr int kWhole = Problem::kPoints / kBatch * kBatch;
#pragma unroll 1
      for (int point = 0; point < kWhole; point += kBatch) {
        add<level>(row, sums, load<level, kBatch>(source, metadata, samples, row, point));
      }
      if constexpr (kWhole < Problem::kPoints) {
        add<level>(row, sums,
                   load<level, Problem::kPoints - kWhole>(source, metadata, samples, row, kWhole));
      }
      add_levels<level + 1>(source, metadata, samples, row, sums);
    }
  }

  /// `points` points of each row of the lane: all their loads are begun.
  template <int level, int points>
  __device__ Batch<points> load(const Source& source, const Metadata& metadata,
                                const Samples& samples, const Row (&row)[kBlocking],
                                int point) const {
    Batch<points> batch;
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      metadata.template read<level, points>(samples, row[r].flat, row[r].in_tile, point,
                                            batch.taps[r]);
#pragma unroll
      for (int p = 0; p < points; ++p) {
        const auto anchor = source.template anchor<level>(row[r].base, batch.taps[r][p].place);
#pragma unroll
        for (int t = 0; t < kTaps<K>; ++t) {
          const int delta = K::Source::template delta<K>(level, Mapping::tap_column(t),
                                                         Mapping::tap_row(t));  // a constant
          batch.value[r][p][t] = source.template read<level>(anchor, delta);
        }
      }
    }
    return batch;
  }

  /// Blends a batch. Encoded values are summed as stored, and the level's scale is applied once.
  template <int level, int points>
  __device__ void add(const Row (&row)[kBlocking], Sums (&sums)[kBlocking],
                      const Batch<points>& batch) const {
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      if constexpr (K::Arithmetic::kEncoded) {
        Sums stored;
        stored.clear();
        K::Arithmetic::add(stored, batch.taps[r], batch.value[r]);
        const int head = K::kByHead ? item_.head : static_cast<int>(row[r].flat % Problem::kHeads);
        sums[r].add_scaled(stored, K::Arithmetic::scale(arguments_, item_.image, head, level));
      } else {
        K::Arithmetic::add(sums[r], batch.taps[r], batch.value[r]);
      }
    }
  }

  __device__ void store(const float (&sums)[Mapping::kStored], long long flat) const {
    using Output = typename Problem::Output;
    Vector<Output, Mapping::kStored> out;
#pragma unroll
    for (int v = 0; v < Mapping::kStored; ++v) out.element[v] = from_float<Output>(sums[v]);
    auto* address = static_cast<Output*>(arguments_.output) + flat * Problem::kChannels +
                    Mapping::stored_channel(item_.channel_block);
    out.write(address, [](auto* p, auto word) { K::Cache::store_output(p, word); });
  }

  const Arguments& arguments_;
  const WorkItem& item_;
  long long first_;
};

}  // namespace msda::direct
