// A tile of rows in the gathering skeletons: where its rows are, from taps to stored sums.
#pragma once

#include <msda/launch.cuh>
#include <msda/skeleton/visits.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/static_for.cuh>
#include <msda/vector.cuh>
#include <msda/walk.cuh>

namespace msda {

/// kTileRows rows of an item from row `at` of it on, kRowsPerLane for each lane group of the block.
/// The item has at most kMostRows.
template <class K>
class Tile {
  using Problem = typename K::Problem;
  using Mapping = typename K::Mapping;
  using Walk = msda::Walk<K>;
  static constexpr int kBlocking = Mapping::kRowsPerLane;
  static constexpr int kPlaneHeads = K::Source::kPlaneHeads;
  static constexpr bool kHeadsExist = Problem::kHeads % kPlaneHeads == 0;  ///< of all rows

 public:
  static constexpr long long kMostRows = 1 << 30;

  __device__ Tile(const Arguments& arguments, const WorkItem& item, int at)
      : arguments_(arguments),
        item_(item),
        first_row_(at),
        last_row_(static_cast<int>(item.last - item.first) - 1 - at) {}

  /// Of its item, and the item's rows from here on.
  __device__ bool is_first() const { return first_row_ == 0; }
  __device__ int rows_left() const { return last_row_ + 1; }
  __device__ const WorkItem& item() const { return item_; }

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

  /// Head of row `in_tile`, or the last one for a head that does not exist.
  __device__ int head_of(int in_tile) const {
    if constexpr (Problem::kHeads == 1) return 0;
    const int head = head_in_problem(in_tile);
    return kHeadsExist ? head : min(head, Problem::kHeads - 1);
  }
  /// Scale of a level's stored values, for the head of row `in_tile`.
  __device__ float scale(int in_tile, int level) const {
    return K::Arithmetic::scale(arguments_, item_.image, head_of(in_tile), level);
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
        const auto offset_of = [&](int row, int p) {
          const int point = kVisit.level * Problem::kPoints + kVisit.first + p;
          if constexpr (K::Metadata::kIsCooperative) {
            return metadata.offset(row, point);
          } else {
            return make_taps<K>(load_points<K, 1>(arguments_, flat_row(row), point)[0],
                                kVisit.level, 0)
                .offset;
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

  __device__ void consume(Consumer<K>& consumer) const {
    // What is on its way to the chip is waited for here: a wait among the visits parts their loads.
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
    return static_cast<unsigned>(first_row_ + min(in_tile, last_row_));
  }
  /// False when all rows of the warp stand for others, and no other warp waits for it.
  __device__ bool warp_has_rows() const {
    if constexpr (!kEndsWithinTiles<K> || K::Fetch::kStaged || kStreamsLevels<K>) return true;
    return simt::reduce_or_sync(Mapping::row() <= last_row_ ? 1 : 0) != 0;
  }
  /// False for rows that stand for others.
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

  const Arguments& arguments_;
  const WorkItem& item_;
  int first_row_;
  int last_row_;  ///< rows of the item behind the tile's first
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
