// Blocks sort their points by tiles of pixels, and tensor cores add up what the points of a tile
// add to its pixels, which goes to global memory at once. An item of many rows is worth it: the
// schedule decides. Other levels: as l2-red.
//
//   for each chunk of the item's rows, for each level, for some of its tiles at a time
//     count the points of each tile, place them tile by tile    Bins::sort
//     for each run of a tile's points, by one warp              Products::add
//       weights of 16 pixels * rows of the gradient             multiply
//       a patch of 4x4 pixels to global memory                  store
#pragma once

#include <backward/block_sums.cuh>
#include <backward/sum.cuh>
#include <tile_bins/products.cuh>

namespace msda::tile_bins {

template <class T>
inline constexpr bool kIsOperand = kSame<T, __half> || kSame<T, __nv_bfloat16>;

template <class K, class Parameters>
class Sum {
 public:
  // Declared first: the schedule, which is asked for its items below, asks for it.
  static constexpr bool kOneHead = true;

 private:
  using Problem = typename K::Problem;
  using Accumulator = typename K::Accumulator;
  static constexpr int kThreads = K::Lanes::kThreads;
  static constexpr bool kMultiplies =
      kIsOperand<typename Problem::Output> && !Accumulator::kIsFixed;
  static constexpr int kFirstLevel = [] {
    constexpr int kWanted = static_cast<int>(Parameters::levels);
    if (!kMultiplies) return Problem::kLevels;
    return kWanted == 0 || kWanted > Problem::kLevels ? 0 : Problem::kLevels - kWanted;
  }();
  /// Of constant level sizes no more than the largest level has.
  static constexpr int kTiles = [] {
    constexpr int kWanted = static_cast<int>(Parameters::tiles);
    if constexpr (K::Sizes::kFixed) {
      int most = 1;
      for (int level = kFirstLevel; level < Problem::kLevels; ++level) {
        const int tiles = tiling_of(Problem::width(level), Problem::height(level)).tiles;
        if (tiles > most) most = tiles;
      }
      return most < kWanted ? most : kWanted;
    }
    return kWanted;
  }();
  /// Queries of a chunk at most: no more than an item has, and than the block has room for.
  static constexpr int kQueries = [] {
    constexpr int kFit =
        (backward::bytes_for_sums<K>(0) - kTiles * kTileBytes) / kQueryBytes<Problem>;
    int queries = static_cast<int>(Parameters::queries);
    if (queries > kFit) queries = kFit;
    if constexpr (requires { K::Schedule::kOneTileItems; }) {
      if (K::Schedule::kOneTileItems && queries > kTileRows<K>) queries = kTileRows<K>;
    }
    return queries < 1 ? 1 : queries;
  }();
  using Sorted = Bins<K, kQueries, kTiles>;
  struct NoStorage {};

 public:
  using Storage = Conditional<kMultiplies, typename Sorted::Storage, NoStorage>;
  static constexpr const char* idle() {
    if (!kIsOperand<typename Problem::Output>) {
      return "a gradient in float32 is no operand of the tensor cores";
    }
    return Accumulator::kIsFixed ? "tensor cores leave no whole numbers" : nullptr;
  }

  __device__ Sum(const backward::Arguments& arguments, Storage& storage)
      : arguments_(arguments), storage_(storage) {}

  __device__ void enter(const WorkItem&) {}
  /// Comes when the sums in global memory are clear.
  __device__ void leave(const WorkItem& item) {
    if constexpr (kMultiplies) {
      // Chunks of equal length: a short one costs as much as another one to sort.
      const long long rows = item.last - item.first;
      const long long chunks = (rows + kQueries - 1) / kQueries;
      for (long long chunk = 0; chunk < chunks; ++chunk) {
        const long long first = item.first + rows * chunk / chunks;
        const auto queries = static_cast<int>(item.first + rows * (chunk + 1) / chunks - first);
        for (int i = static_cast<int>(simt::thread()); i < queries; i += kThreads) {
          storage_.query[i] =
              static_cast<unsigned>(K::Order::query(arguments_, item.image, first + i));
        }
        simt::syncthreads();
#pragma unroll 1
        for (int level = kFirstLevel; level < Problem::kLevels; ++level) {
          if (K::Lanes::kLevelsApart && level != item.channel_block) continue;
          add_level(item, level, queries);
        }
      }
    }
  }

  __device__ void begin_row(long long image, long long row, int head) {
    if constexpr (kFirstLevel == 0) return;
    reds_.begin_row(arguments_, image, row, head, Accumulator::scale(arguments_, image, head));
  }
  template <class Level>
  __device__ void add(const Level& level, const backward::Cell& cell) const {
    if constexpr (Level::kNumber < kFirstLevel) reds_.add(level, cell);
  }

 private:
  /// Called by all threads; when it returns, nobody uses what is sorted.
  __device__ void add_level(const WorkItem& item, int level, int queries) {
    constexpr int kWarps = kThreads / simt::kWarpLanes;
    const LevelPoints<K> points(arguments_, item, storage_.query, level);
    Sorted bins(storage_);
    const Products<K, Sorted, static_cast<int>(Parameters::few)> products(arguments_, item, points,
                                                                          bins);
    const int tiles = tiling_of(points.at().width(), points.at().height()).tiles;
#pragma unroll 1
    for (int first = 0; first < tiles; first += kTiles) {
      const int runs = bins.sort(points, queries * Problem::kPoints, first);
      for (int n = static_cast<int>(simt::warp()); n < runs; n += kWarps) {
        const Run run = bins.run(n);
        products.add(run, first + run.tile);
      }
      simt::syncthreads();
    }
  }

  const backward::Arguments& arguments_;
  Storage& storage_;
  RowReds<K> reds_;
};

}  // namespace msda::tile_bins
