// A counting sort of the points of a level by the tile that they lie in, in the shared memory of a
// block, and the runs of points that warps then add up.
#pragma once

#include <tile_bins/points.cuh>

namespace msda::tile_bins {

/// A tile has 3x3 cells, whose points touch a patch of 4x4 pixels.
inline constexpr int kTileCells = 3;

/// Tiles of a level of `width` x `height` pixels. A level of one column or row has a cell there.
struct Tiling {
  int columns;
  int tiles;
};
__device__ constexpr int tiles_along(int size) {
  return size < 2 ? 1 : (size - 2) / kTileCells + 1;
}
__device__ constexpr Tiling tiling_of(int width, int height) {
  return {tiles_along(width), tiles_along(width) * tiles_along(height)};
}

/// A point that adds something.
struct alignas(16) Record {
  float x, y;  ///< from the centre of the patch's upper left pixel
  float weight;
  unsigned key;  ///< tile, number in the tile, row and column of its cell; kNone: of no tile

  static constexpr int kTileBit = 18;
  static constexpr int kNumberBit = 4;
  static constexpr unsigned kMost = (1U << (kTileBit - kNumberBit)) - 1U;  ///< of both
  static constexpr unsigned kNone = 0xffffffffU;
  __device__ unsigned tile() const { return key >> kTileBit; }
  __device__ unsigned number() const { return key >> kNumberBit & kMost; }
  /// Of the patch's pixels, the upper left one of the point's cell.
  __device__ int column() const { return static_cast<int>(key & 3U); }
  __device__ int row() const { return static_cast<int>(key >> 2U & 3U); }
};

/// Points of a run at most: where many meet, several warps share them.
inline constexpr int kRunPoints = 64;

/// Neighbouring points of the sorted order, which lie in one tile.
struct Run {
  int tile;
  int first;
  int last;
};

/// Shared memory that Bins needs at most for a query, and for a tile.
template <class Problem>
inline constexpr int kQueryBytes = 4 + Problem::kPoints*(static_cast<int>(sizeof(Record)) + 3);
inline constexpr int kTileBytes = 8;

/// `most_queries` and `most_tiles` at a time. An object for each thread; all threads of the block
/// call its functions.
template <class K, int most_queries, int most_tiles>
class Bins {
  static constexpr int kThreads = K::Lanes::kThreads;
  static constexpr int kWarps = kThreads / simt::kWarpLanes;
  static constexpr int kMostPoints = most_queries * K::Problem::kPoints;
  static constexpr int kMostRuns =
      kMostPoints / kRunPoints + (most_tiles < kMostPoints ? most_tiles : kMostPoints);
  static_assert(kMostPoints <= Record::kMost && most_tiles < Record::kMost,
                "numbers of tiles and points share a word");

 public:
  struct Storage {
    Record record[kMostPoints];
    unsigned query[most_queries];
    unsigned first[most_tiles + 1];  ///< of a tile's points in `order`; at first their number
    unsigned run[kMostRuns];         ///< tile, and which of the tile's runs, 16 bits each
    unsigned short order[kMostPoints];
    unsigned of_warp[kWarps];
  };

  __device__ explicit Bins(Storage& storage) : storage_(storage) {}

  /// Sorts those of `count` points that lie in the tiles from `first_tile` on, and returns the
  /// number of runs.
  __device__ int sort(const LevelPoints<K>& points, int count, int first_tile) {
    const Tiling tiling = tiling_of(points.at().width(), points.at().height());
    const int tiles = min(most_tiles, tiling.tiles - first_tile);
    for (int i = thread(); i < tiles; i += kThreads) storage_.first[i] = 0;
    simt::syncthreads();
    count_points(points, count, tiling.columns, first_tile, tiles);
    simt::syncthreads();
    const int runs = add_up(tiles);
    simt::syncthreads();
    for (int i = thread(); i < count; i += kThreads) {
      const Record record = storage_.record[i];
      if (record.key == Record::kNone) continue;
      storage_.order[storage_.first[record.tile()] + record.number()] =
          static_cast<unsigned short>(i);
    }
    simt::syncthreads();
    return runs;
  }

  /// Run `number` of them; tiles count from `first_tile` on.
  __device__ Run run(int number) const {
    const unsigned run = storage_.run[number];
    const auto tile = static_cast<int>(run >> 16U);
    const int first = static_cast<int>(storage_.first[tile] + (run & 0xffffU) * kRunPoints);
    return {tile, first, min(first + kRunPoints, static_cast<int>(storage_.first[tile + 1]))};
  }
  /// The number of the point at a place of the order.
  __device__ int point(int place) const { return storage_.order[place]; }
  __device__ const Record& record(int point) const { return storage_.record[point]; }

 private:
  __device__ static int thread() { return static_cast<int>(simt::thread()); }

  /// Makes records, and counts those of each tile. Some points are read before one is looked at.
  __device__ void count_points(const LevelPoints<K>& points, int count, int columns, int first_tile,
                               int tiles) {
    constexpr int kTogether = kMakesPoints<K> ? 1 : 4;
    for (int from = thread(); from < count; from += kTogether * kThreads) {
      Point point[kTogether];
#pragma unroll
      for (int n = 0; n < kTogether; ++n) {
        point[n] = points.read(min(from + n * kThreads, count - 1));
      }
#pragma unroll
      for (int n = 0; n < kTogether; ++n) {
        const int i = from + n * kThreads;
        if (i >= count) continue;
        Record record = {};
        const int tile = place(point[n], points.at(), columns, record) - first_tile;
        if (record.weight != 0.0F && tile >= 0 && tile < tiles) {
          const unsigned number = simt::atomic_add(&storage_.first[tile], 1U);
          record.key |= static_cast<unsigned>(tile) << Record::kTileBit;
          record.key |= number << Record::kNumberBit;
        } else {
          record.key = Record::kNone;
        }
        storage_.record[i] = record;
      }
    }
  }

  /// The tile of a point, and its record but for the tile and the number there; leaves a weight of
  /// 0 if the point does not count.
  __device__ static int place(const Point& point, const typename LevelPoints<K>::At& level,
                              int columns, Record& record) {
    constexpr int kLargest = kExtents<K>.largest;
    const backward::OnAxis x = backward::on_axis<kLargest>(point.x, level.width());
    const backward::OnAxis y = backward::on_axis<kLargest>(point.y, level.height());
    if (!x.counts || !y.counts) return 0;
    const int column = x.first % kTileCells;
    const int row = y.first % kTileCells;
    record.x = static_cast<float>(column) + x.distance;
    record.y = static_cast<float>(row) + y.distance;
    record.weight = point.weight;
    record.key = static_cast<unsigned>(row << 2 | column);
    return y.first / kTileCells * columns + x.first / kTileCells;
  }

  /// A tile's number of points, and of its runs in the upper half: both are added up at once.
  __device__ static unsigned with_runs(unsigned points) {
    return points + ((points + kRunPoints - 1) / kRunPoints << 16U);
  }
  /// Makes of each tile's number of points the place of its first one, lists the runs, and returns
  /// their number.
  __device__ int add_up(int tiles) {
    constexpr int kOwn = (most_tiles + kThreads - 1) / kThreads;
    const int begin = min(thread() * kOwn, tiles);
    const int end = min(begin + kOwn, tiles);
    unsigned sum = 0;
    for (int tile = begin; tile < end; ++tile) sum += with_runs(storage_.first[tile]);
    const unsigned to_lane = simt::warp_inclusive_sum(sum);
    if (simt::lane() == simt::kWarpLanes - 1) storage_.of_warp[simt::warp()] = to_lane;
    simt::syncthreads();
    unsigned before = to_lane - sum;
    unsigned all = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      if (w < static_cast<int>(simt::warp())) before += storage_.of_warp[w];
      all += storage_.of_warp[w];
    }
    for (int tile = begin; tile < end; ++tile) {
      const unsigned own = with_runs(storage_.first[tile]);
      storage_.first[tile] = before & 0xffffU;
      for (unsigned run = 0; run < own >> 16U; ++run) {
        storage_.run[(before >> 16U) + run] = static_cast<unsigned>(tile) << 16U | run;
      }
      before += own;
    }
    if (thread() == 0) storage_.first[tiles] = all & 0xffffU;
    return static_cast<int>(all >> 16U);
  }

  Storage& storage_;
};

}  // namespace msda::tile_bins
