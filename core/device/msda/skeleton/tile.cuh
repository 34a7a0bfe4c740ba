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

/// kTileRows rows of an item from row `at` of it on, kRowsPerLane for each lane group of the block.
/// The item has at most kMostRows.
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
  static constexpr bool kHeadsExist = Problem::kHeads % kPlaneHeads == 0;  ///< of all rows

  /// One of this lane's rows, as it lies in a source.
  template <class From>
  struct Row {
    RowNumber flat;
    typename From::Base base;
    int in_tile;
  };
  /// A batch of points of all rows of the lane.
  struct Batch {
    Taps<K> taps[kBlocking][kBatch<K>];
    Value value[kBlocking][kBatch<K>][kTaps<K>];
  };

 public:
  static constexpr long long kMostRows = 1 << 30;

  __device__ Tile(const Arguments& arguments, const WorkItem& item, int at)
      : arguments_(arguments),
        item_(item),
        at_(at),
        behind_(static_cast<int>(item.last - item.first) - 1 - at) {}

  /// Of its item, and the item's rows from here on.
  __device__ bool is_first() const { return at_ == 0; }
  __device__ int rows_left() const { return behind_ + 1; }

  /// Flat row of row `in_tile` (>= kTileRows: of a later tile of the item); one beyond the item's
  /// end stands for its last row, and one of a head that does not exist for the last head's, so
  /// that all lanes of a warp stay together and only the store asks whether the row is real.
  __device__ RowNumber flat_row(int in_tile) const {
    const long long first = item_.image * arguments_.queries;
    if constexpr (kPlaneHeads == Problem::kHeads && requires { K::Order::kIsStored; }) {
      return {first * Problem::kHeads + item_.first, in_item(in_tile)};
    }
    const auto position = static_cast<long long>(row_of(in_tile) / kPlaneHeads);
    const long long query = K::Order::query(arguments_, item_.image, position);
    return {(first + query) * Problem::kHeads + head_of(in_tile), 0};
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
    if (!warp_has_rows()) return;
    if constexpr (kComesLater<K>) {
      if (!consumer.source.has_come()) return gather(consumer, consumer.source.in_global());
    }
    gather(consumer, consumer.source);
  }

 private:
  template <class From>
  __device__ void gather(Consumer<K>& consumer, const From& source) const {
    Row<From> row[kBlocking];
    Sums sums[kBlocking];
    const int group = min(Mapping::row(), Mapping::kRows - 1);
    const int channel = Mapping::channel(item_.channel_block);
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      row[r].in_tile = r * Mapping::kRows + group;
      row[r].flat = flat_row(row[r].in_tile);
      row[r].base = source.base(item_, head_of(row[r].in_tile), channel);
      sums[r].clear();
    }
    if constexpr (Walk::kRolled) {
      ask_ahead(consumer);
      visit_in_loops(consumer, source, row, sums);
    } else if constexpr (Walk::kInPairs) {
      visit_in_pairs(consumer, source, row, sums);
    } else {
      visit_all(consumer, source, row, sums);
    }
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      float combined[Mapping::kStored];
      Mapping::combine(sums[r], combined);
      const bool real = Mapping::row() < Mapping::kRows && is_real(row[r].in_tile);
      if (real && Mapping::stores()) store(combined, row[r].flat);
    }
  }

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
    return static_cast<unsigned long long>(item_.first) + in_item(in_tile);
  }
  __device__ unsigned in_item(int in_tile) const {
    return static_cast<unsigned>(at_ + min(in_tile, behind_));
  }
  /// False when all rows of the warp stand for others, and no other warp waits for it.
  __device__ bool warp_has_rows() const {
    if constexpr (!kEndsWithinTiles<K> || K::Fetch::kStaged || kFollowsWalk<K>) return true;
    return simt::warp_union(Mapping::row() <= behind_ ? 1 : 0) != 0;
  }
  /// False for rows that stand for others.
  __device__ bool is_real(int in_tile) const {
    return in_tile <= behind_ && (kHeadsExist || head_in_problem(in_tile) < Problem::kHeads);
  }

  /// All visits written out. While one is blended, the next kAhead have begun.
  template <class From>
  __device__ void visit_all(Consumer<K>& consumer, const From& source, Row<From> (&row)[kBlocking],
                            Sums (&sums)[kBlocking]) const {
    constexpr int kInFlight = Walk::kAhead + 1;
    Batch batch[kInFlight];
    static_for<Walk::kVisits + Walk::kAhead>([&]<int n>() {
      if constexpr (n < Walk::kVisits) {
        begin_visit<n>(consumer, source, row, n % kInFlight, batch[n % kInFlight]);
      }
      if constexpr (n >= Walk::kAhead) {
        constexpr int kOld = n - Walk::kAhead;
        constexpr int kBegun = n < Walk::kVisits ? n + 1 : Walk::kVisits;
        finish_visit<kOld, Walk::staged_visits(kOld + 1, kBegun)>(
            consumer, row, sums, kOld % kInFlight, batch[kOld % kInFlight]);
      }
      if constexpr (n % 2 == 1) keep_order_of_fetches();
    });
  }
  /// All visits written out, two at a time: what is on chip is blended while the other's values are
  /// on their way.
  template <class From>
  __device__ void visit_in_pairs(Consumer<K>& consumer, const From& source,
                                 Row<From> (&row)[kBlocking], Sums (&sums)[kBlocking]) const {
    static_for<(Walk::kVisits + 1) / 2>([&]<int pair>() {
      constexpr int kFar = 2 * pair;
      constexpr int kNear = 2 * pair + 1;
      Batch far;
      begin_visit<kFar>(consumer, source, row, 0, far);
      if constexpr (kNear == Walk::kVisits) {
        finish_visit<kFar, 0>(consumer, row, sums, 0, far);
      } else {
        Batch near;
        begin_visit<kNear>(consumer, source, row, 0, near);
        if constexpr (kSumsInPairs<K>) {
          typename K::Arithmetic::template PairSums<Mapping::kVector> both[kBlocking];
#pragma unroll
          for (int r = 0; r < kBlocking; ++r) both[r].clear();
          finish_visit<kNear, 0>(consumer, row, both, 0, near);
          finish_visit<kFar, 0>(consumer, row, both, 0, far);
#pragma unroll
          for (int r = 0; r < kBlocking; ++r) both[r].add_to(sums[r]);
        } else {
          finish_visit<kNear, 0>(consumer, row, sums, 0, near);
          finish_visit<kFar, 0>(consumer, row, sums, 0, far);
        }
      }
      keep_order_of_fetches();
    });
  }
  template <int n, class From>
  __device__ void begin_visit(Consumer<K>& consumer, const From& source,
                              const Row<From> (&row)[kBlocking], int place, Batch& batch) const {
    constexpr Visit kVisit = Walk::visit(n);
    if constexpr (Walk::is_first_of_level(n)) reach<kVisit.level>(consumer);
    begin<kVisit.level, kVisit.points>(consumer, source, row, kVisit.first, place, batch);
    if constexpr (n == 0) ask_ahead(consumer);
  }
  template <int n, int pending, class From, class Into>
  __device__ void finish_visit(Consumer<K>& consumer, const Row<From> (&row)[kBlocking],
                               Into (&sums)[kBlocking], int place, Batch& batch) const {
    constexpr Visit kVisit = Walk::visit(n);
    finish<kVisit.level, kVisit.points, pending>(consumer, row, sums, place, batch);
  }
  /// The compiler moves fetches of texels before visits that come first, until it has no more
  /// registers; across this it does not.
  __device__ static void keep_order_of_fetches() {
    if constexpr (K::Reader::kFetches) simt::sync_warp();
  }

  /// A loop over the batches of each level; only a last one of fewer points is written out.
  template <class From>
  __device__ void visit_in_loops(Consumer<K>& consumer, const From& source,
                                 Row<From> (&row)[kBlocking], Sums (&sums)[kBlocking]) const {
    constexpr int kWhole = Problem::kPoints / kBatch<K> * kBatch<K>;
    static_for<Problem::kLevels>([&]<int level>() {
      reach<level>(consumer);
#pragma unroll 1
      for (int point = 0; point < kWhole; point += kBatch<K>) {
        visit<level, kBatch<K>>(consumer, source, row, sums, point);
      }
      if constexpr (kWhole < Problem::kPoints) {
        visit<level, Problem::kPoints - kWhole>(consumer, source, row, sums, kWhole);
      }
    });
  }
  template <int level, int points, class From>
  __device__ void visit(Consumer<K>& consumer, const From& source, Row<From> (&row)[kBlocking],
                        Sums (&sums)[kBlocking], int point) const {
    Batch batch;
    begin<level, points>(consumer, source, row, point, 0, batch);
    finish<level, points, 0>(consumer, row, sums, 0, batch);
  }

  /// Of consumers that compute taps themselves: the first values are on their way, or will be.
  __device__ void ask_ahead(Consumer<K>& consumer) const {
    if constexpr (kAsksBehindValues<K> && kProducerThreads<K> == 0) {
      consumer.samples.ahead([this](int in_tile) { return flat_row(in_tile); }, rows_left());
    }
  }

  /// No value of the level was asked for before.
  template <int level>
  __device__ void reach(Consumer<K>& consumer) const {
    if constexpr (kFollowsWalk<K>) consumer.source.template reach<level>(item_);
  }

  /// `points` points of each row of the lane, from `point` on: their values are on their way to
  /// registers, or to `place` in the fetch slot's memory.
  template <int level, int points, class From>
  __device__ void begin(Consumer<K>& consumer, const From& source,
                        const Row<From> (&row)[kBlocking], int point, int place,
                        Batch& batch) const {
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      consumer.metadata.template read<level, points>(consumer.samples, row[r].flat, row[r].in_tile,
                                                     point, batch.taps[r]);
      if constexpr (Walk::staged(level)) {
        consumer.fetch.template begin<level, points>(
            source, row[r].base, item_, head_of(row[r].in_tile), place, r, batch.taps[r]);
      } else {
        load<level, points>(source, row[r].base, batch.taps[r], batch.value[r]);
      }
    }
    if constexpr (Walk::staged(level)) consumer.fetch.commit(place);
  }

  /// Blends a batch after which `pending` staged ones have begun.
  template <int level, int points, int pending, class From, class Into>
  __device__ void finish(Consumer<K>& consumer, const Row<From> (&row)[kBlocking],
                         Into (&sums)[kBlocking], int place, Batch& batch) const {
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

  template <int level, int points, class From>
  __device__ static void load(const From& source, const typename From::Base& base,
                              const Taps<K> (&taps)[kBatch<K>],
                              Value (&value)[kBatch<K>][kTaps<K>]) {
#pragma unroll
    for (int p = 0; p < points; ++p) {
      const auto anchor = source.template anchor<level>(base, taps[p].place);
#pragma unroll
      for (int t = 0; t < kTaps<K>; ++t) {
        const int delta =
            From::delta(level, Mapping::tap_column(t), Mapping::tap_row(t));  // a constant
        value[p][t] = source.template read<level>(anchor, delta);
      }
    }
  }

  /// Values in units of a scale are summed as stored, and the scale is applied once.
  template <int level, int points, class From, class Into>
  __device__ void add(const Row<From>& row, Into& sums, const Taps<K> (&taps)[kBatch<K>],
                      const Value (&value)[kBatch<K>][kTaps<K>]) const {
    if constexpr (kHasScales<K>) {
      Sums stored;
      stored.clear();
      K::Arithmetic::template add<points>(stored, taps, value);
      const int head = head_of(row.in_tile);
      sums.add_scaled(stored, K::Arithmetic::scale(arguments_, item_.image, head, level));
    } else {
      K::Arithmetic::template add<points>(sums, taps, value);
    }
  }

  __device__ void store(const float (&sums)[Mapping::kStored], RowNumber row) const {
    using Output = typename Problem::Output;
    Vector<Output, Mapping::kStored> out;
    from_floats(sums, out.element);
    constexpr unsigned kRowBytes = Problem::kChannels * sizeof(Output);
    auto* address = at_row<kRowBytes>(arguments_.output, row) +
                    Mapping::stored_channel(item_.channel_block) * static_cast<int>(sizeof(Output));
    out.write(address, [](auto* p, auto word) { K::Cache::store_output(p, word); });
  }

  const Arguments& arguments_;
  const WorkItem& item_;
  int at_;
  int behind_;  ///< rows of the item behind the tile's first
};

/// Calls each(tile) for the tiles of an item. What lanes compute of a row has 32 bits: an item of
/// more rows than that is as good as several.
template <class K, class Each>
__device__ __forceinline__ void for_each_tile(const Arguments& arguments, const WorkItem& item,
                                              const Each& each) {
  WorkItem part = item;
  for (; part.first < item.last; part.first = part.last) {
    part.last = min(item.last, part.first + Tile<K>::kMostRows);
    const int rows = static_cast<int>(part.last - part.first);
    for (int at = 0; at < rows; at += kTileRows<K>) {
      simt::begin_tile(at == 0);
      each(Tile<K>(arguments, part, at));
    }
  }
}

}  // namespace msda
