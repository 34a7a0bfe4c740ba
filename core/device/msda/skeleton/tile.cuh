// The inner loops of the gathering skeletons: one tile of rows, from taps to stored sums.
#pragma once

#include <msda/launch.cuh>
#include <msda/slots/metadata.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/static_for.cuh>
#include <msda/vector.cuh>
#include <msda/walk.cuh>

namespace msda {

/// What the policies keep between tiles, for a thread that consumes rows.
template <class K>
struct Consumer {
  typename K::Source source;
  typename K::Fetch fetch;
  typename K::Metadata metadata;
  typename K::Pipeline samples;

  __device__ Consumer(const Arguments& arguments, typename K::Storage& storage)
      : source(arguments, part_of<kSource, typename K::Source::Storage>(storage)),
        fetch(arguments, part_of<kFetch, typename K::Fetch::Storage>(storage)),
        metadata(arguments, part_of<kMetadata, typename K::Metadata::Storage>(storage)),
        samples(arguments, part_of<kPipeline, typename K::Pipeline::Storage>(storage)) {}
};

/// The rows [first, first + kTileRows) of an item, kRowsPerLane for each lane group of the block.
template <class K>
class Tile {
  using Problem = typename K::Problem;
  using Mapping = typename K::Mapping;
  using Sums = typename K::Arithmetic::template Sums<Mapping::kVector>;
  using Source = typename K::Source;
  using Value = Vector<typename Source::Value, Mapping::kVector>;
  using Walk = msda::Walk<K>;
  static constexpr int kBlocking = Mapping::kRowsPerLane;
  static constexpr int kPlaneHeads = Source::kPlaneHeads;
  static constexpr long long kFar = 1 << 30;
  static constexpr bool kHeadsExist = Problem::kHeads % kPlaneHeads == 0;  ///< of all rows

  /// One of this lane's rows.
  struct Row {
    long long flat;  ///< (b*Q + q)*H + h
    typename Source::Base base;
    int in_tile;
  };
  /// A batch of points of all rows of the lane.
  struct Batch {
    Taps<K> taps[kBlocking][kBatch<K>];
    Value value[kBlocking][kBatch<K>][kTaps<K>];
  };

 public:
  __device__ Tile(const Arguments& arguments, const WorkItem& item, long long first)
      : arguments_(arguments),
        item_(item),
        first_(first),
        behind_(static_cast<int>(min(item.last - 1 - first, kFar))) {}

  /// Flat row of row `in_tile` (>= kTileRows: of a later tile of the item); one beyond the item's
  /// end stands for its last row, and one of a head that does not exist for the last head's, so
  /// that all lanes of a warp stay together and only the store asks whether the row is real.
  __device__ long long flat_row(int in_tile) const {
    const auto position = static_cast<long long>(row_of(in_tile) / kPlaneHeads);
    const long long query = K::Order::query(arguments_, item_.image, position);
    return (item_.image * arguments_.queries + query) * Problem::kHeads + head_of(in_tile);
  }

  /// Of the specialised skeleton's producers: copies the values that the fetch slot stages, a batch
  /// of points of all rows for each step. The taps are where the metadata slot keeps them for all
  /// lanes, or are computed here.
  template <class Stages>
  __device__ void produce(Stages& stages, typename K::Fetch::Storage& storage,
                          const typename K::Metadata& metadata) const {
    static_for<Walk::kVisits>([&]<int n>() {
      constexpr Visit kVisit = Walk::visit(n);
      if constexpr (Walk::staged(kVisit.level)) {
        const auto place_of = [&](int row, int p) {
          const int point = kVisit.level * Problem::kPoints + kVisit.first + p;
          if constexpr (K::Metadata::kIsCooperative) {
            return metadata.place(row, point);
          } else {
            const auto sample = load_samples<K, 1>(arguments_, flat_row(row), point)[0];
            return make_taps<K>(sample, kVisit.level, 0).place;
          }
        };
        stages.handover.producer_acquire(stages.state);
        K::Fetch::template produce<kVisit.level, kVisit.points>(
            arguments_, storage, item_, stages.state.stage, place_of,
            [&](int row) { return head_of(row); });
        stages.handover.producer_commit(stages.state);
        stages.state.advance();
      }
    });
  }

  __device__ void consume(Consumer<K>& consumer) const {
    // What is on its way to the chip is waited for here: a wait among the visits parts their loads.
    consumer.source.begin_tile(item_);
    Row row[kBlocking];
    Sums sums[kBlocking];
    const int group = min(Mapping::row(), Mapping::kRows - 1);
    const int channel = Mapping::channel(item_.channel_block);
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      row[r].in_tile = r * Mapping::kRows + group;
      row[r].flat = flat_row(row[r].in_tile);
      row[r].base = consumer.source.base(item_, head_of(row[r].in_tile), channel);
      sums[r].clear();
    }
    if constexpr (Walk::kRolled) {
      visit_in_loops(consumer, row, sums);
    } else {
      visit_all(consumer, row, sums);
    }
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      float combined[Mapping::kStored];
      Mapping::combine(sums[r], combined);
      const bool real = Mapping::row() < Mapping::kRows && is_real(row[r].in_tile);
      if (real && Mapping::stores()) store(combined, row[r].flat);
    }
  }

 private:
  __device__ int head_of(int in_tile) const {
    if constexpr (Problem::kHeads == 1) return 0;
    const int head = head_in_problem(in_tile);
    return kHeadsExist ? head : min(head, Problem::kHeads - 1);
  }
  /// That of a row of the last plane perhaps does not exist.
  __device__ int head_in_problem(int in_tile) const {
    if constexpr (kPlaneHeads == 1) return item_.head;
    const int in_plane = static_cast<int>(row_of(in_tile) % kPlaneHeads);
    return kPlaneHeads == Problem::kHeads ? in_plane : item_.head + in_plane;
  }
  /// The row of the plane that row `in_tile` is or, beyond the item's end, stands for.
  __device__ unsigned long long row_of(int in_tile) const {
    return static_cast<unsigned long long>(first_ + min(in_tile, behind_));
  }
  /// False for rows that stand for others.
  __device__ bool is_real(int in_tile) const {
    return in_tile <= behind_ && (kHeadsExist || head_in_problem(in_tile) < Problem::kHeads);
  }

  /// All visits written out. While one is blended, the next kAhead have begun.
  __device__ void visit_all(Consumer<K>& consumer, Row (&row)[kBlocking],
                            Sums (&sums)[kBlocking]) const {
    constexpr int kInFlight = Walk::kAhead + 1;
    Batch batch[kInFlight];
    static_for<Walk::kVisits + Walk::kAhead>([&]<int n>() {
      if constexpr (n < Walk::kVisits) {
        constexpr Visit kNew = Walk::visit(n);
        if constexpr (Walk::is_first_of_level(n)) reach<kNew.level>(consumer);
        begin<kNew.level, kNew.points>(consumer, row, kNew.first, n % kInFlight,
                                       batch[n % kInFlight]);
      }
      if constexpr (n >= Walk::kAhead) {
        constexpr int kOld = n - Walk::kAhead;
        constexpr int kBegun = n < Walk::kVisits ? n + 1 : Walk::kVisits;
        constexpr Visit kVisit = Walk::visit(kOld);
        finish<kVisit.level, kVisit.points, Walk::staged_visits(kOld + 1, kBegun)>(
            consumer, row, sums, kOld % kInFlight, batch[kOld % kInFlight]);
      }
    });
  }

  /// A loop over the batches of each level; only a last one of fewer points is written out.
  __device__ void visit_in_loops(Consumer<K>& consumer, Row (&row)[kBlocking],
                                 Sums (&sums)[kBlocking]) const {
    constexpr int kWhole = Problem::kPoints / kBatch<K> * kBatch<K>;
    static_for<Problem::kLevels>([&]<int level>() {
      reach<level>(consumer);
#pragma unroll 1
      for (int point = 0; point < kWhole; point += kBatch<K>) {
        visit<level, kBatch<K>>(consumer, row, sums, point);
      }
      if constexpr (kWhole < Problem::kPoints) {
        visit<level, Problem::kPoints - kWhole>(consumer, row, sums, kWhole);
      }
    });
  }
  template <int level, int points>
  __device__ void visit(Consumer<K>& consumer, Row (&row)[kBlocking], Sums (&sums)[kBlocking],
                        int point) const {
    Batch batch;
    begin<level, points>(consumer, row, point, 0, batch);
    finish<level, points, 0>(consumer, row, sums, 0, batch);
  }

  /// No value of the level was asked for before.
  template <int level>
  __device__ void reach(Consumer<K>& consumer) const {
    if constexpr (kFollowsWalk<K>) consumer.source.template reach<level>(item_);
  }

  /// `points` points of each row of the lane, from `point` on: their values are on their way to
  /// registers, or to `place` in the fetch slot's memory.
  template <int level, int points>
  __device__ void begin(Consumer<K>& consumer, const Row (&row)[kBlocking], int point, int place,
                        Batch& batch) const {
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      consumer.metadata.template read<level, points>(consumer.samples, row[r].flat, row[r].in_tile,
                                                     point, batch.taps[r]);
      if constexpr (Walk::staged(level)) {
        consumer.fetch.template begin<level, points>(
            consumer.source, row[r].base, item_, head_of(row[r].in_tile), place, r, batch.taps[r]);
      } else {
        load<level, points>(consumer.source, row[r].base, batch.taps[r], batch.value[r]);
      }
    }
    if constexpr (Walk::staged(level)) consumer.fetch.commit(place);
  }

  /// Blends a batch after which `pending` staged ones have begun.
  template <int level, int points, int pending>
  __device__ void finish(Consumer<K>& consumer, Row (&row)[kBlocking], Sums (&sums)[kBlocking],
                         int place, Batch& batch) const {
    if constexpr (Walk::staged(level)) {
      consumer.fetch.template wait<pending>(place);
#pragma unroll
      for (int r = 0; r < kBlocking; ++r) {
        consumer.fetch.template read<points>(place, r, batch.value[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      add<level, points>(row[r], sums[r], batch.taps[r], batch.value[r]);
    }
    if constexpr (Walk::staged(level)) consumer.fetch.release(place);
  }

  template <int level, int points>
  __device__ static void load(const Source& source, const typename Source::Base& base,
                              const Taps<K> (&taps)[kBatch<K>],
                              Value (&value)[kBatch<K>][kTaps<K>]) {
#pragma unroll
    for (int p = 0; p < points; ++p) {
      const auto anchor = source.template anchor<level>(base, taps[p].place);
#pragma unroll
      for (int t = 0; t < kTaps<K>; ++t) {
        const int delta =
            Source::delta(level, Mapping::tap_column(t), Mapping::tap_row(t));  // a constant
        value[p][t] = source.template read<level>(anchor, delta);
      }
    }
  }

  /// Encoded values are summed as stored, and the level's scale is applied once.
  template <int level, int points>
  __device__ void add(Row& row, Sums& sums, const Taps<K> (&taps)[kBatch<K>],
                      const Value (&value)[kBatch<K>][kTaps<K>]) const {
    if constexpr (K::Arithmetic::kEncoded) {
      Sums stored;
      stored.clear();
      K::Arithmetic::template add<points>(stored, taps, value);
      const int head = head_of(row.in_tile);
      sums.add_scaled(stored, K::Arithmetic::scale(arguments_, item_.image, head, level));
    } else {
      K::Arithmetic::template add<points>(sums, taps, value);
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
  /// Rows of the item behind the first, as far as tiles reach: what lanes compare has 32 bits.
  int behind_;
};

}  // namespace msda
