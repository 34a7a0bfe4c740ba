// Slot "schedule": which block works on which rows.
#pragma once

#include <msda/composition.cuh>
#include <msda/ptx/arithmetic.cuh>
#include <msda/storage.cuh>

namespace msda {

/// A run of rows of one plane of one image. Rows number the (q, h) pairs of the plane's heads, h
/// fastest; if a plane's heads do not divide the problem's, the last plane has rows of heads that
/// do not exist.
struct WorkItem {
  long long image;
  int head;           ///< the plane's first
  int channel_block;  ///< 0 .. Mapping::kChannelBlocks - 1
  long long first;    ///< row
  long long last;     ///< one past the last row
};

/// A row's index (b*Q + q)*H + h as the sum of a start, which all rows of an item share if
/// possible, and an offset of 32 bits: the address of a row is then one multiply-add from the
/// address of start.
struct RowNumber {
  long long start;
  unsigned offset;
  __device__ operator long long() const { return start + offset; }
};

/// Address of row `row` in an array with `bytes` bytes for each row.
template <unsigned bytes>
__device__ __forceinline__ const unsigned char* at_row(const void* array, RowNumber row) {
  return ptx::mad_wide<bytes>(
      static_cast<const unsigned char*>(array) + row.start * static_cast<long long>(bytes),
      row.offset);
}
template <unsigned bytes>
__device__ __forceinline__ unsigned char* at_row(void* array, RowNumber row) {
  return const_cast<unsigned char*>(at_row<bytes>(static_cast<const void*>(array), row));
}

/// The main kernel's launch. __device__ because policies pass it by reference, static because nvcc
/// requires that for a device constant in a header.
template <class K>
static __device__ constexpr LaunchShape kShape = [] {
  constexpr int kThreads = K::Mapping::kThreads + kProducerThreads<K>;
  constexpr int kHeads = K::Source::kPlaneHeads;
  static_assert(kThreads <= 1024,
                "a block has at most 1024 threads: the mapping's and those of producer warps");
  return LaunchShape{.threads = kThreads,
                     .shared_bytes = kStorageBytes<typename K::Storage>,
                     .resident_blocks = K::Schedule::kResidentBlocks,
                     .planes = static_cast<unsigned>((K::Problem::kHeads + kHeads - 1) / kHeads *
                                                     K::Mapping::kChannelBlocks),
                     .rows_per_query = static_cast<unsigned>(kHeads),
                     .rows_per_item = K::Schedule::kRowsPerItem * K::Source::kCluster,
                     .chunks = K::Schedule::kChunks,
                     .cluster = K::Source::kCluster,
                     .dependent = K::Launch::kDependent};
}();

/// Blocks of an SM that registers must suffice for (__launch_bounds__).
template <class K>
inline constexpr unsigned kLeastBlocks =
    kShape<K>.resident_blocks > 0 ? kShape<K>.resident_blocks : 1;

/// `count` neighbouring items as one item, from item `part` of plane `plane` on; planes are
/// numbered through all images.
template <class K>
__device__ __forceinline__ WorkItem work_items(const Arguments& arguments, const LaunchShape& shape,
                                               long long plane, long long part, long long count) {
  const long long rows = rows_per_plane(shape, arguments.queries);
  const int in_image = static_cast<int>(plane % shape.planes);
  WorkItem item;
  item.image = plane / shape.planes;
  item.head = in_image / K::Mapping::kChannelBlocks * static_cast<int>(shape.rows_per_query);
  item.channel_block = in_image % K::Mapping::kChannelBlocks;
  if (shape.rows_per_item != 0) {
    item.first = part * shape.rows_per_item;
    item.last = min(item.first + count * shape.rows_per_item, rows);
  } else {
    const long long per_plane = items_per_plane(shape, arguments.queries);
    item.first = rows * part / per_plane;
    item.last = rows * (part + count) / per_plane;
  }
  return item;
}

/// Item `index` of the launch: rows fastest, then planes, then images, so that neighbouring blocks
/// read the same image.
template <class K>
__device__ __forceinline__ WorkItem work_item(const Arguments& arguments, const LaunchShape& shape,
                                              long long index) {
  const long long per_plane = items_per_plane(shape, arguments.queries);
  const long long plane = index / per_plane;
  return work_items<K>(arguments, shape, plane, index - plane * per_plane, 1);
}

/// True if items may end within a tile, so that warps may have no row of the last tile.
template <class K>
inline constexpr bool kEndsWithinTiles = K::Schedule::kRowsPerItem % kTileRows<K> != 0;

/// Number of the block, or of the cluster if the source slot asks for clusters, which takes items.
template <class K>
__device__ __forceinline__ long long worker() {
  return simt::block() / K::Source::kCluster;
}
template <class K>
__device__ __forceinline__ long long workers() {
  return simt::blocks() / K::Source::kCluster;
}

/// This block's rows of its cluster's item; perhaps none.
template <class K>
__device__ __forceinline__ WorkItem share_in_cluster(const WorkItem& item) {
  WorkItem share = item;
  if constexpr (K::Source::kCluster > 1) {
    const long long rows = item.last - item.first;
    const unsigned rank = simt::block() % K::Source::kCluster;
    share.first = item.first + rows * rank / K::Source::kCluster;
    share.last = item.first + rows * (rank + 1) / K::Source::kCluster;
  }
  return share;
}

/// An object for each thread. next(item): called by all threads of the block. Returns the next item
/// of this block, the same in all threads, producers and consumers alike; false: no further item.
/// The constants are those of LaunchShape:
///
/// - `kResidentBlocks`: blocks per SM of a persistent grid; 0: one block for each item;
/// - `kRowsPerItem`, `kChunks`: how planes are cut into items.
template <class Policy, class K>
concept SchedulePolicy = requires(Policy& policy, WorkItem& item) {
  requires HasStorage<Policy>;
  requires kConstant<unsigned, Policy::kResidentBlocks>;
  requires kConstant<unsigned, Policy::kRowsPerItem>;
  requires kConstant<unsigned, Policy::kChunks>;
  { policy.next(item) } -> Same<bool>;
};

/// Default: one block for each item, one item for as many rows as a block computes at a time.
template <class K, class Parameters>
class GridSchedule {
 public:
  static constexpr unsigned kResidentBlocks = 0;
  static constexpr unsigned kRowsPerItem = kTileRows<K>;
  /// An item has at most one tile.
  static constexpr bool kOneTileItems = true;
  static constexpr unsigned kChunks = 0;
  struct Storage {};

  __device__ GridSchedule(const Arguments& arguments, Storage&) : arguments_(arguments) {}

  __device__ bool next(WorkItem& item) {
    if (done_) return false;
    done_ = true;
    item = work_item<K>(arguments_, kShape<K>, worker<K>());
    return true;
  }

 private:
  const Arguments& arguments_;
  bool done_ = false;
};

}  // namespace msda
