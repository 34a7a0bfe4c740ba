// A tile of rows in the gathering skeletons: indices of rows, and the way from taps to output.
#pragma once

#include <msda/launch.cuh>
#include <msda/skeleton/visits.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/static_for.cuh>
#include <msda/vector.cuh>
#include <msda/walk.cuh>

namespace msda {

/// kTileRows rows of an item, beginning at row `at` of the item: kRowsPerLane rows for each lane
/// group. The item has at most kMostRows rows.
template <class K>
class Tile {
  using Problem = typename K::Problem;
  using Mapping = typename K::Mapping;
  using Walk = msda::Walk<K>;
  static constexpr int kBlocking = Mapping::kRowsPerLane;
  static constexpr int kPlaneHeads = K::Source::kPlaneHeads;
  static constexpr bool kHeadsExist = Problem::kHeads % kPlaneHeads == 0;  ///< for all rows

 public:
  static constexpr long long kMostRows = 1 << 30;

  __device__ Tile(const typename K::Arguments& arguments, const WorkItem& item, int at)
      : arguments_(arguments),
        item_(item),
        first_row_(at),
        last_row_(static_cast<int>(item.last - item.first) - 1 - at) {}

  /// True for the first tile of the item; rows_left() counts the item's rows from this tile on.
  __device__ bool is_first() const { return first_row_ == 0; }
  __device__ int rows_left() const { return last_row_ + 1; }
  __device__ const WorkItem& item() const { return item_; }

  /// Index of tile row `in_tile` in the output; from kTileRows on, a row of a later tile of the
  /// item. Rows past the end of the item are clamped to its last row, and heads that do not exist
  /// to the last head, so that all lanes stay converged; only store() asks whether the row exists.
  __device__ RowNumber flat_row(int in_tile) const {
    const long long first = item_.image * arguments_.queries;
    if constexpr (kPlaneHeads == Problem::kHeads && requires { K::Order::kIsStored; }) {
      return {first * Problem::kHeads + item_.first, in_item(in_tile)};
    }
    const auto position = static_cast<long long>(row_of(in_tile) / kPlaneHeads);
    const long long query = K::Order::query(arguments_, item_.image, position);
    simt::note_order(item_.image, arguments_.queries, position, query);
    return {(first + query) * Problem::kHeads + head_of(in_tile), 0};
  }

  /// Head of row `in_tile`, clamped to the last head.
  __device__ int head_of(int in_tile) const {
    if constexpr (Problem::kHeads == 1) return 0;
    const int head = head_in_problem(in_tile);
    return kHeadsExist ? head : min(head, Problem::kHeads - 1);
  }
  /// Scale of a level's stored values, for the head of row `in_tile`.
  __device__ float scale(int in_tile, int level) const {
    return K::Arithmetic::scale(arguments_, item_.image, head_of(in_tile), level);
  }

  /// Called by the producers of the specialised skeleton: copies the values that the fetch slot
  /// stages, in each step one batch of points of all rows. Offsets come from the metadata slot if
  /// it is cooperative, and are computed here otherwise.
  template <class Stages>
  __device__ void produce(Stages& stages, typename K::Fetch::Storage& storage,
                          const typename K::Metadata& metadata) const {
    static_for<Walk::kVisits>([&]<int n>() {
      constexpr Visit kVisit = Walk::visit(n);
      if constexpr (Walk::staged(kVisit.level)) {
        const auto offset_of = [&](int row, int p) {
          const int point = first_point<Problem>(kVisit.level) + kVisit.first + p;
          if constexpr (K::Metadata::kIsCooperative) {
            return metadata.offset(row, point);
          } else {
            const auto level = typename K::Sizes(arguments_).at(kVisit.level);
            const Position place =
                K::Points::place(K::Points::template load<1>(arguments_, flat_row(row), point), 0,
                                 level, kVisit.level);
            return make_footprint<K>({place.x, place.y, 0.0F}, level).offset;
          }
        };
        stages.pipeline.producer_acquire(stages.state);
        K::Fetch::template produce<kVisit.level, kVisit.points>(
            arguments_, storage, item_, stages.state.stage, offset_of,
            [&](int row) { return head_of(row); });
        stages.pipeline.producer_commit(stages.state);
        stages.state.advance();
      }
    });
  }

  /// In place of consume(), where level sizes are no pyramid.
  __device__ void leave_nan() const {
    float nan[Mapping::kStored];
#pragma unroll
    for (float& each : nan) each = __uint_as_float(0x7fffffffU);
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      const int in_tile = r * Mapping::kRows + Mapping::row();
      const bool real = Mapping::row() < Mapping::kRows && is_real(in_tile);
      if (real && Mapping::stores()) store(nan, flat_row(in_tile));
    }
  }

  __device__ void consume(Consumer<K>& consumer) const {
    // Wait for pending level copies here: a wait between visits would keep the compiler from
    // batching their loads.
    consumer.source.begin_tile(item_);
    if (!warp_has_rows()) return;
    if constexpr (kResidentArrivesLate<K>) {
      if (!consumer.source.is_ready()) return gather(consumer, consumer.source.global_fallback());
    }
    gather(consumer, consumer.source);
  }

 private:
  template <class Source>
  __device__ void gather(Consumer<K>& consumer, const Source& source) const {
    LaneRow<Source> row[kBlocking];
    RowSums<K> sums[kBlocking];
    const int group = min(Mapping::row(), Mapping::kRows - 1);
    const int channel = Mapping::channel(item_.channel_block);
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      row[r].in_tile = r * Mapping::kRows + group;
      row[r].flat = flat_row(row[r].in_tile);
      row[r].base = source.base(item_, head_of(row[r].in_tile), channel);
      sums[r].clear();
    }
    Visits<K, Tile, Source>(*this, consumer, source, row).add_to(sums);
#pragma unroll
    for (int r = 0; r < kBlocking; ++r) {
      float combined[Mapping::kStored];
      Mapping::combine(sums[r], combined);
      const bool real = Mapping::row() < Mapping::kRows && is_real(row[r].in_tile);
      if (real && Mapping::stores()) store(combined, row[r].flat);
    }
  }

  /// May exceed the number of heads for rows of the last plane.
  __device__ int head_in_problem(int in_tile) const {
    if constexpr (kPlaneHeads == 1) return item_.head;
    const int in_plane = static_cast<int>(row_of(in_tile) % kPlaneHeads);
    return kPlaneHeads == Problem::kHeads ? in_plane : item_.head + in_plane;
  }
  /// Row of the plane, clamped to the item's last row.
  __device__ unsigned long long row_of(int in_tile) const {
    return static_cast<unsigned long long>(item_.first) + in_item(in_tile);
  }
  __device__ unsigned in_item(int in_tile) const {
    return static_cast<unsigned>(first_row_ + min(in_tile, last_row_));
  }
  /// False if no row of the warp exists and no other warp waits for this one. All lanes call it.
  __device__ bool warp_has_rows() const {
    if constexpr (!kEndsWithinTiles<K> || K::Fetch::kStaged || kStreamsLevels<K>) return true;
    return simt::reduce_or_sync(Mapping::row() <= last_row_ ? 1 : 0) != 0;
  }
  /// False for clamped rows, which are not stored.
  __device__ bool is_real(int in_tile) const {
    return in_tile <= last_row_ && (kHeadsExist || head_in_problem(in_tile) < Problem::kHeads);
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

  const typename K::Arguments& arguments_;
  const WorkItem& item_;
  int first_row_;
  int last_row_;  ///< the item's last row, relative to first_row_
};

/// Calls each(tile) for the tiles of an item. Lanes compute with rows in 32 bits, so an item with
/// more than kMostRows rows is treated as several items.
template <class K, class Each>
__device__ __forceinline__ void for_each_tile(const typename K::Arguments& arguments,
                                              const WorkItem& item, const Each& each) {
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
