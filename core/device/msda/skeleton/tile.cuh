// The inner loops of the gathering skeletons: one tile of rows, from taps to stored sums.
#pragma once

#include <msda/launch.cuh>
#include <msda/slots/metadata.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda {

/// What the slots keep between tiles, for the threads that gather.
template <class K>
struct Readers {
  typename K::Source::template Reader<K> source;
  typename K::Fetch::template Reader<K> fetch;
  typename K::Metadata::template Reader<K> metadata;
  typename K::Pipeline::template Reader<K> samples;

  __device__ Readers(const Arguments& arguments, unsigned char* shared)
      : source(arguments, shared + K::Shared::kSourceAt),
        fetch(arguments, shared + K::Shared::kFetchAt),
        metadata(arguments, shared + K::Shared::kMetadataAt),
        samples(arguments, shared + K::Shared::kPipelineAt) {}
};

/// The rows [first, first + kTileRows) of an item, kRowsPerLane for each lane group of the block.
template <class K>
class Tile {
  using Problem = typename K::Problem;
  using Mapping = typename K::Mapping;
  using Sums = typename K::Arithmetic::template Sums<Mapping::kVector>;
  using Source = typename K::Source::template Reader<K>;
  using Value = Vector<typename Source::Value, Mapping::kVector>;
  static constexpr int kBlocking = Mapping::kRowsPerLane;

  /// One of this lane's rows.
  struct Row {
    long long flat;  ///< (b*Q + q)*H + h
    typename Source::Base base;
    int in_tile;
  };

 public:
  static constexpr int kRows = Mapping::kRows * kBlocking;
  static constexpr int kBatch =  ///< points of a batch, at most
      K::Unroll::kPoints < Problem::kPoints ? K::Unroll::kPoints : Problem::kPoints;

  __device__ Tile(const Arguments& arguments, const WorkItem& item, long long first)
      : arguments_(arguments), item_(item), first_(first) {}

  /// Flat row of row `in_tile` (>= kRows: of a later tile of the item); one beyond the item's end
  /// stands for its last row, so that all lanes of a warp stay together and only the store asks
  /// whether the row is real.
  __device__ long long flat_row(int in_tile) const {
    const long long row = min(first_ + in_tile, item_.last - 1);
    const long long position = K::kByHead ? row : row / Problem::kHeads;
    const int head = K::kByHead ? item_.head : static_cast<int>(row % Problem::kHeads);
    const long long query = K::Order::query(arguments_, item_.image, position);
    return (item_.image * arguments_.queries + query) * Problem::kHeads + head;
  }

  /// Of the specialised skeleton's producers: copies the values that the fetch slot stages, a batch
  /// of points of all rows for each step. The taps are where the metadata slot keeps them for all
  /// lanes, or are computed here.
  template <class Stages, class Producer, class Metadata>
  __device__ void produce(Stages& stages, Producer& fetch, const Metadata& metadata) const {
    produce_visits<0>(stages, fetch, [&](int row, int level, int point) {
      if constexpr (K::Metadata::kIsCooperative) {
        return metadata.place(row, point);
      } else {
        const auto sample = load_samples<K, 1>(arguments_, flat_row(row), point)[0];
        return make_taps<K>(sample, level, 0).place;
      }
    });
  }
  /// Batches for which produce() takes a step.
  static constexpr int staged_batches() { return staged_between(0, kBatches); }

  __device__ void compute(Readers<K>& readers) const {
    const int group = min(Mapping::row(), Mapping::kRows - 1);
    const int channel = Mapping::channel(item_.channel_block);
    Row row[kBlocking];
    Sums sums[kBlocking];
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      row[r].in_tile = r * Mapping::kRows + group;
      row[r].flat = flat_row(row[r].in_tile);
      const int head = K::kByHead ? item_.head : static_cast<int>(row[r].flat % Problem::kHeads);
      row[r].base = readers.source.base(item_, head, channel);
      sums[r].clear();
    }
    add_all(readers, row, sums);
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      float combined[Mapping::kStored];
      Mapping::combine(sums[r], combined);
      const bool real = Mapping::row() < Mapping::kRows && first_ + row[r].in_tile < item_.last;
      if (real && Mapping::stores()) store(combined, row[r].flat);
    }
  }

 private:
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

  /// Batches whose values are on their way while one is blended.
  static constexpr int kAhead = K::Fetch::template kAhead<K> > 0 ? K::Fetch::template kAhead<K>
                                                                 : (K::Unroll::kLoadsAhead ? 1 : 0);
  /// True when the values of a level pass through the fetch slot's shared memory.
  static constexpr bool staged(int level) {
    return K::Fetch::kStaged && !K::Source::template on_chip<K>(level);
  }

  template <int points>
  struct Batch {
    Taps<K> taps[kBlocking][points];
    Value value[kBlocking][points][kTaps<K>];
  };

  /// The values of the b-th batch and those after it, for all rows of the tile.
  template <int b, class Stages, class Producer, class PlaceOf>
  __device__ void produce_visits(Stages& stages, Producer& fetch, const PlaceOf& place_of) const {
    if constexpr (b < kBatches) {
      constexpr int kLevel = visit(b).level;
      if constexpr (staged(kLevel)) {
        constexpr int kFirst = kLevel * Problem::kPoints + visit(b).batch * kBatch;
        stages.handover.producer_acquire(stages.state);
        fetch.template produce<kLevel, points_of(b)>(
            item_, stages.state.stage,
            [&](int row, int p) { return place_of(row, kLevel, kFirst + p); },
            [&](int row) { return head_of(row); });
        stages.handover.producer_commit(stages.state);
        stages.state.advance();
      }
      produce_visits<b + 1>(stages, fetch, place_of);
    }
  }
  __device__ int head_of(int in_tile) const {
    if constexpr (Problem::kHeads == 1) return 0;
    if constexpr (K::kByHead) return item_.head;
    return static_cast<int>(min(first_ + in_tile, item_.last - 1) % Problem::kHeads);
  }

  /// All batches: unrolled with later batches begun before this one is blended, or in a loop.
  __device__ void add_all(Readers<K>& readers, const Row (&row)[kBlocking],
                          Sums (&sums)[kBlocking]) const {
    if constexpr (kAhead > 0 || K::Unroll::kAlternates) {
      add_visits<0>(readers, row, sums);
    } else {
      add_levels<0>(readers, row, sums);
    }
  }

  /// Of the batches from `first` to before `last`, those whose values are staged.
  static constexpr int staged_between(int first, int last) {
    int count = 0;
    for (int b = first; b < last; ++b) count += staged(visit(b).level) ? 1 : 0;
    return count;
  }
  static constexpr int points_of(int b) {
    const int left = Problem::kPoints - visit(b).batch * kBatch;
    return left < kBatch ? left : kBatch;
  }
  /// The fetch slot's place for the values of the b-th batch.
  static constexpr int place_of(int b) { return b % (kAhead + 1); }

  /// The b-th batch and those after it, of which `pending` have begun.
  template <int b, class... Pending>
  __device__ void add_visits(Readers<K>& readers, const Row (&row)[kBlocking],
                             Sums (&sums)[kBlocking], Pending&... pending) const {
    constexpr int kNext = b + static_cast<int>(sizeof...(Pending));
    if constexpr (kNext < kBatches && sizeof...(Pending) <= kAhead) {
      auto begun = begin<visit(kNext).level, points_of(kNext)>(
          readers, row, visit(kNext).batch * kBatch, place_of(kNext));
      add_visits<b>(readers, row, sums, pending..., begun);
    } else if constexpr (b < kBatches) {
      add_first<b>(readers, row, sums, pending...);
    }
  }
  template <int b, class First, class... Rest>
  __device__ void add_first(Readers<K>& readers, const Row (&row)[kBlocking],
                            Sums (&sums)[kBlocking], First& first, Rest&... rest) const {
    constexpr int kPending = staged_between(b + 1, b + 1 + static_cast<int>(sizeof...(Rest)));
    finish<visit(b).level, kPending>(readers, row, place_of(b), first);
    add<visit(b).level>(row, sums, first);
    release<visit(b).level>(readers, place_of(b));
    add_visits<b + 1>(readers, row, sums, rest...);
  }

  template <int level>
  __device__ void add_levels(Readers<K>& readers, const Row (&row)[kBlocking],
                             Sums (&sums)[kBlocking]) const {
    if constexpr (level < Problem::kLevels) {
      constexpr int kWhole = Problem::kPoints / kBatch * kBatch;
#pragma unroll 1
      for (int point = 0; point < kWhole; point += kBatch) {
        add_batch<level, kBatch>(readers, row, sums, point);
      }
      if constexpr (kWhole < Problem::kPoints) {
        add_batch<level, Problem::kPoints - kWhole>(readers, row, sums, kWhole);
      }
      add_levels<level + 1>(readers, row, sums);
    }
  }
  template <int level, int points>
  __device__ void add_batch(Readers<K>& readers, const Row (&row)[kBlocking],
                            Sums (&sums)[kBlocking], int point) const {
    auto batch = begin<level, points>(readers, row, point, 0);
    finish<level, 0>(readers, row, 0, batch);
    add<level>(row, sums, batch);
    release<level>(readers, 0);
  }

  /// `points` points of each row of the lane: their values are on their way to registers, or to
  /// `place` in the fetch slot's memory.
  template <int level, int points>
  __device__ Batch<points> begin(Readers<K>& readers, const Row (&row)[kBlocking], int point,
                                 int place) const {
    Batch<points> batch;
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      readers.metadata.template read<level, points>(readers.samples, row[r].flat, row[r].in_tile,
                                                    point, batch.taps[r]);
      if constexpr (staged(level)) {
        readers.fetch.template begin<level>(readers.source, row[r].base, item_,
                                            head_of(row[r].in_tile), place, r, batch.taps[r]);
      } else {
        load<level>(readers.source, row[r].base, batch.taps[r], batch.value[r]);
      }
    }
    if constexpr (staged(level)) readers.fetch.commit(place);
    return batch;
  }

  /// Has the values of a batch in registers, when `pending` later ones that are staged have begun.
  template <int level, int pending, int points>
  __device__ void finish(Readers<K>& readers, const Row (&row)[kBlocking], int place,
                         Batch<points>& batch) const {
    if constexpr (staged(level)) {
      readers.fetch.template wait<pending>(place);
#pragma unroll
      for (int r = 0; r < kBlocking; ++r) {
        readers.fetch.template read<points>(place, r, batch.value[r]);
      }
    }
  }
  /// The values of a batch have been used.
  template <int level>
  __device__ static void release(Readers<K>& readers, int place) {
    if constexpr (staged(level)) readers.fetch.release(place);
  }

  template <int level, int points>
  __device__ static void load(const Source& source, const typename Source::Base& base,
                              const Taps<K> (&taps)[points], Value (&value)[points][kTaps<K>]) {
#pragma unroll
    for (int p = 0; p < points; ++p) {
      const auto anchor = source.template anchor<level>(base, taps[p].place);
#pragma unroll
      for (int t = 0; t < kTaps<K>; ++t) {
        const int delta = K::Source::template delta<K>(level, Mapping::tap_column(t),
                                                       Mapping::tap_row(t));  // a constant
        value[p][t] = source.template read<level>(anchor, delta);
      }
    }
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

}  // namespace msda
