// The visits of a lane's rows of one tile: batches of points, each read, and blended into sums.
#pragma once

#include <msda/launch.cuh>
#include <msda/slots/arithmetic.cuh>
#include <msda/slots/metadata.cuh>
#include <msda/slots/point_fetch.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/slots/source.cuh>
#include <msda/static_for.cuh>
#include <msda/vector.cuh>
#include <msda/walk.cuh>

namespace msda {

/// The policies' objects of a thread that consumes rows, which live from tile to tile.
template <class K>
struct Consumer {
  typename K::Source source;
  typename K::Fetch fetch;
  typename K::Metadata metadata;
  typename K::PointFetch point_fetch;

  __device__ Consumer(const Arguments& arguments, typename K::Storage& storage)
      : source(arguments, part_of<kSource, typename K::Source::Storage>(storage)),
        fetch(arguments, part_of<kFetch, typename K::Fetch::Storage>(storage)),
        metadata(arguments, part_of<kMetadata, typename K::Metadata::Storage>(storage)),
        point_fetch(arguments, part_of<kPointFetch, typename K::PointFetch::Storage>(storage)) {}
};

/// One of a lane's rows, with its base in `Source`.
template <class Source>
struct LaneRow {
  RowNumber flat;
  typename Source::Base base;
  int in_tile;
};

/// The sums of a row over its points.
template <class K>
using RowSums = typename K::Arithmetic::template Sums<K::Mapping::kVector>;

/// Runs the walk for the rows that one lane computes in a tile. `Source` is the consumer's source,
/// or the global fallback of that source.
template <class K, class Tile, class Source>
class Visits {
  using Problem = typename K::Problem;
  using Mapping = typename K::Mapping;
  using Walk = msda::Walk<K>;
  using Sums = RowSums<K>;
  using Value = Vector<typename K::Source::Value, Mapping::kVector>;
  static constexpr int kBlocking = Mapping::kRowsPerLane;
  using Rows = LaneRow<Source>[kBlocking];

  /// A batch of points of all rows.
  struct Batch {
    Taps<K> taps[kBlocking][kBatch<K>];
    Value value[kBlocking][kBatch<K>][kTaps<K>];
  };

 public:
  __device__ Visits(const Tile& tile, Consumer<K>& consumer, const Source& source, const Rows& rows)
      : tile_(tile), consumer_(consumer), source_(source), rows_(rows) {}

  /// Adds all points of each row to its sums.
  __device__ void add_to(Sums (&sums)[kBlocking]) const {
    if constexpr (Walk::kRolled) {
      prefetch_points();
      visit_in_loops(sums);
    } else if constexpr (Walk::kTwoAtATime) {
      visit_two_at_a_time(sums);
    } else {
      visit_all(sums);
    }
  }

 private:
  /// Unrolls all visits. While one visit is blended, the loads of the next kAhead are in flight.
  __device__ void visit_all(Sums (&sums)[kBlocking]) const {
    constexpr int kInFlight = Walk::kAhead + 1;
    Batch batch[kInFlight];
    static_for<Walk::kVisits + Walk::kAhead>([&]<int n>() {
      if constexpr (n < Walk::kVisits) begin_visit<n>(n % kInFlight, batch[n % kInFlight]);
      if constexpr (n >= Walk::kAhead) {
        constexpr int kOld = n - Walk::kAhead;
        constexpr int kBegun = n < Walk::kVisits ? n + 1 : Walk::kVisits;
        finish_visit<kOld, Walk::staged_visits(kOld + 1, kBegun)>(sums, kOld % kInFlight,
                                                                  batch[kOld % kInFlight]);
      }
      if constexpr (n % 2 == 1) keep_order_of_fetches();
    });
  }
  /// Unrolls all visits, two at a time: the near level, which is on chip, is blended while the
  /// loads of the far level are in flight.
  __device__ void visit_two_at_a_time(Sums (&sums)[kBlocking]) const {
    static_for<(Walk::kVisits + 1) / 2>([&]<int pair>() {
      constexpr int kFar = 2 * pair;
      constexpr int kNear = 2 * pair + 1;
      Batch far;
      begin_visit<kFar>(0, far);
      if constexpr (kNear == Walk::kVisits) {
        finish_visit<kFar, 0>(sums, 0, far);
      } else {
        Batch near;
        begin_visit<kNear>(0, near);
        if constexpr (kSumsTwoBatches<K>) {
          typename K::Arithmetic::template TwoBatchSums<Mapping::kVector> both[kBlocking];
#pragma unroll
          for (int r = 0; r < kBlocking; ++r) both[r].clear();
          finish_visit<kNear, 0>(both, 0, near);
          finish_visit<kFar, 0>(both, 0, far);
#pragma unroll
          for (int r = 0; r < kBlocking; ++r) both[r].add_to(sums[r]);
        } else {
          finish_visit<kNear, 0>(sums, 0, near);
          finish_visit<kFar, 0>(sums, 0, far);
        }
      }
      keep_order_of_fetches();
    });
  }
  template <int n>
  __device__ void begin_visit(int stage, Batch& batch) const {
    constexpr Visit kVisit = Walk::visit(n);
    if constexpr (Walk::is_first_of_level(n)) on_level<kVisit.level>();
    begin<kVisit.level, kVisit.points>(kVisit.first, stage, batch);
    if constexpr (n == 0) prefetch_points();
  }
  template <int n, int pending, class Into>
  __device__ void finish_visit(Into (&sums)[kBlocking], int stage, Batch& batch) const {
    constexpr Visit kVisit = Walk::visit(n);
    finish<kVisit.level, kVisit.points, pending>(sums, stage, batch);
  }
  /// The compiler would hoist texel fetches above earlier visits until registers run out; a warp
  /// barrier stops it.
  __device__ static void keep_order_of_fetches() {
    if constexpr (K::Reader::kFetches) simt::syncwarp();
  }

  /// Loops over the batches of each level; only a shorter last batch is unrolled.
  __device__ void visit_in_loops(Sums (&sums)[kBlocking]) const {
    static_for<Problem::kLevels>([&]<int level>() {
      constexpr int kPoints = points_of<Problem>(level);
      constexpr int kWhole = kPoints / kBatch<K> * kBatch<K>;
      on_level<level>();
#pragma unroll 1
      for (int point = 0; point < kWhole; point += kBatch<K>) {
        visit<level, kBatch<K>>(sums, point);
      }
      if constexpr (kWhole < kPoints) {
        visit<level, kPoints - kWhole>(sums, kWhole);
      }
    });
  }
  template <int level, int points>
  __device__ void visit(Sums (&sums)[kBlocking], int point) const {
    Batch batch;
    begin<level, points>(point, 0, batch);
    finish<level, points, 0>(sums, 0, batch);
  }

  /// Prefetches the next tile's points, once this tile's first loads were issued. Only where
  /// consumers compute their own taps: producers prefetch by themselves.
  __device__ void prefetch_points() const {
    if constexpr (kPrefetchesPoints<K> && kProducerThreads<K> == 0) {
      consumer_.point_fetch.prefetch([this](int in_tile) { return tile_.flat_row(in_tile); },
                                     tile_.rows_left());
    }
  }

  /// Called before the first load from `level`, by all consumers.
  template <int level>
  __device__ void on_level() const {
    if constexpr (kStreamsLevels<K>) consumer_.source.template on_level<level>(tile_.item());
  }

  /// Issues the loads of `points` points of each row, from `point` on: to registers, or to `stage`
  /// of the fetch slot's shared memory.
  template <int level, int points>
  __device__ void begin(int point, int stage, Batch& batch) const {
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      const LaneRow<Source>& row = rows_[r];
      consumer_.metadata.template read<level, points>(consumer_.point_fetch, row.flat, row.in_tile,
                                                      point, batch.taps[r]);
      if constexpr (Walk::staged(level)) {
        consumer_.fetch.template begin<level, points>(
            source_, row.base, tile_.item(), tile_.head_of(row.in_tile), stage, r, batch.taps[r]);
      } else {
        load<level, points>(row.base, batch.taps[r], batch.value[r]);
      }
    }
    if constexpr (Walk::staged(level)) consumer_.fetch.commit(stage);
  }

  /// Blends a batch. `pending` staged batches were begun after it.
  template <int level, int points, int pending, class Into>
  __device__ void finish(Into (&sums)[kBlocking], int stage, Batch& batch) const {
    if constexpr (Walk::staged(level)) {
      consumer_.fetch.template wait<pending>(stage);
#pragma unroll
      for (int r = 0; r < kBlocking; ++r) {
        consumer_.fetch.template read<points>(stage, r, batch.value[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      add<level, points>(rows_[r], sums[r], batch.taps[r], batch.value[r]);
    }
    if constexpr (Walk::staged(level)) consumer_.fetch.release(stage);
  }

  template <int level, int points>
  __device__ void load(const typename Source::Base& base, const Taps<K> (&taps)[kBatch<K>],
                       Value (&value)[kBatch<K>][kTaps<K>]) const {
#pragma unroll
    for (int p = 0; p < points; ++p) {
      const auto anchor = source_.template anchor<level>(base, taps[p].offset);
#pragma unroll
      for (int t = 0; t < kTaps<K>; ++t) {
        const int delta = source_.delta(level, Mapping::tap_column(t), Mapping::tap_row(t));
        value[p][t] = source_.template read<level>(anchor, delta);
      }
    }
  }

  /// Scaled values are summed as stored, and the scale is applied to the sum.
  template <int level, int points, class Into>
  __device__ void add(const LaneRow<Source>& row, Into& sums, const Taps<K> (&taps)[kBatch<K>],
                      const Value (&value)[kBatch<K>][kTaps<K>]) const {
    if constexpr (kHasScales<K>) {
      Sums stored;
      stored.clear();
      K::Arithmetic::template add<points>(stored, taps, value);
      sums.add_scaled(stored, tile_.scale(row.in_tile, level));
    } else {
      K::Arithmetic::template add<points>(sums, taps, value);
    }
  }

  const Tile& tile_;
  Consumer<K>& consumer_;
  const Source& source_;
  const Rows& rows_;
};

}  // namespace msda
