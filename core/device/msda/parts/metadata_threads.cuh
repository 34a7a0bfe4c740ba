// The threads that consume rows, and the threads that compute the taps of rows together.
#pragma once

#include <msda/level_points.cuh>
#include <msda/parts/taps.cuh>
#include <msda/simt/thread.cuh>

namespace msda {

/// The threads that gather and blend rows: the first Mapping::kThreads of the block.
template <class K>
struct Consumers {
  /// Barrier of all consumers.
  __device__ static void sync() {
    if constexpr (kProducerThreads<K> == 0) {
      simt::syncthreads();
    } else {
      ptx::bar_sync(simt::kConsumerBarrier, K::Mapping::kThreads);
    }
  }
};

/// Whether a policy of slot metadata is cooperative. One whose members are made of its threads says
/// so here, since the threads ask before the class is complete.
template <class Metadata>
inline constexpr bool kIsCooperative = Metadata::kIsCooperative;

/// The threads that compute the taps of the same rows for all lanes of these rows: the producers,
/// for all rows of a tile. Without producers, each warp for its own rows, if warps hold whole rows,
/// and otherwise all consumers for all rows.
template <class K>
struct MetadataThreads {
  using Mapping = typename K::Mapping;
  static constexpr bool kIsProducers =
      kProducerThreads<K> != 0 && kIsCooperative<typename K::Metadata>;
  static constexpr bool kIsWarp = !kIsProducers && Mapping::kWarpHoldsRows;
  static constexpr int kCount = kIsProducers ? kProducerThreads<K>
                                : kIsWarp    ? simt::kWarpLanes
                                             : Mapping::kThreads;
  static constexpr int kLaneGroups = kIsWarp ? simt::kWarpLanes / Mapping::kLanes : Mapping::kRows;
  static constexpr int kRows = kLaneGroups * Mapping::kRowsPerLane;

  __device__ static int index() {
    if constexpr (kIsProducers) return static_cast<int>(simt::thread()) - Mapping::kThreads;
    return static_cast<int>(kIsWarp ? simt::lane() : simt::thread());
  }
  /// Row of the tile for row `i`, 0 .. kRows - 1, of these threads.
  __device__ static int row_in_tile(int i) {
    const int first = kIsWarp ? static_cast<int>(simt::warp()) * kLaneGroups : 0;
    return i / kLaneGroups * Mapping::kRows + first + i % kLaneGroups;
  }
  __device__ static void sync() {
    if constexpr (kIsProducers) {
      ptx::bar_sync(simt::kProducerBarrier, kCount);
    } else if constexpr (kIsWarp) {
      simt::syncwarp();
    } else {
      Consumers<K>::sync();
    }
  }
};

/// The smallest power of two that is no less.
constexpr int to_power_of_two(int number) {
  int power = 1;
  while (power < number) power *= 2;
  return power;
}

/// The points of the metadata threads' rows, divided into runs of neighbours, which are dealt to
/// the threads. They are of one level unless levels differ in their points. A run has as many
/// points as one wide load reads, as leave no thread idle, and as have at most 32 bytes of taps:
/// more would cause bank conflicts between neighbouring threads.
template <class K>
struct PointRuns {
  using Problem = typename K::Problem;
  using Threads = MetadataThreads<K>;
  static constexpr int kPointsPerRow = kRowPoints<Problem>;
  static constexpr int kPoints = [] {
    constexpr int kLoaded = 16 / (2 * static_cast<int>(sizeof(typename Problem::Location)));
    constexpr int kStored = 32 / static_cast<int>(sizeof(Taps<K>));
    // Runs of two points or more for all threads.
    const auto is_enough = [](int points) {
      if (!K::Points::kJoinsRows) return Threads::kRows * kPointsPerRow >= points * Threads::kCount;
      return Threads::kRows * to_power_of_two(kPointsPerRow / points) >= Threads::kCount;
    };
    int points = 1;
    while (2 * points <= kLoaded && 2 * points <= kStored &&
           kPointsTogether<Problem> % (2 * points) == 0 && is_enough(2 * points)) {
      points *= 2;
    }
    return points;
  }();
  static constexpr int kRunsOfRow = kPointsPerRow / kPoints;
  /// Where weights depend on all points of a row, its runs are dealt to a power of two of
  /// neighbouring lanes, and the last of these may have none; unless a row has more than a warp has
  /// lanes.
  static constexpr bool kJoinsLanes = K::Points::kJoinsRows && kRunsOfRow <= simt::kWarpLanes;
  static constexpr int kRunsPerRow = kJoinsLanes ? to_power_of_two(kRunsOfRow) : kRunsOfRow;
  static constexpr int kRuns = Threads::kRows * kRunsPerRow;
  static constexpr int kRunsPerThread = (kRuns + Threads::kCount - 1) / Threads::kCount;
  /// Runs of one row that a thread has, one after the other: all of its runs where that makes them
  /// few and leaves no thread idle, so that the fewest lanes share a row.
  static constexpr int kRunsTogether = kJoinsLanes && kRuns == kRunsPerThread * Threads::kCount &&
                                               kRunsPerThread <= 4 &&
                                               kRunsPerRow % kRunsPerThread == 0
                                           ? kRunsPerThread
                                           : 1;
  /// Lanes that share a row, where weights depend on all of its points.
  static constexpr int kLanesOfRow = kRunsPerRow / kRunsTogether;

  struct Run {
    bool exists;
    int row;    ///< in the tile
    int first;  ///< point of the row, counted through all levels
    int level;  ///< of the first point
  };
  /// This thread's n-th run.
  __device__ static Run run(int n) {
    int i = n * Threads::kCount + Threads::index();
    if constexpr (kRunsTogether > 1) {
      i = Threads::index() / kLanesOfRow * kRunsPerRow + n * kLanesOfRow +
          Threads::index() % kLanesOfRow;
    }
    const int first = i % kRunsPerRow * kPoints;
    const bool exists = i < kRuns && (kRunsPerRow == kRunsOfRow || first < kPointsPerRow);
    const int level = level_of<Problem>(first);
    // What does not exist has a level, too, of which threads may ask the size.
    return {exists, Threads::row_in_tile(i / kRunsPerRow), first,
            kRunsPerRow == kRunsOfRow ? level : min(level, Problem::kLevels - 1)};
  }
};

}  // namespace msda
