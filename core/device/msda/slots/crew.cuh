// Who prepares the samples and taps of a tile's rows together, and how they divide the work.
#pragma once

#include <msda/sampling.cuh>
#include <msda/simt/thread.cuh>
#include <msda/slots/taps.cuh>

namespace msda {

/// The threads that gather rows: the first Mapping::kThreads of the block. Producer warps, where
/// the block has any, come after them.
template <class K>
struct Team {
  /// Barrier of its threads.
  __device__ static void sync() {
    if constexpr (K::kProducerThreads == 0) {
      simt::sync_block();
    } else {
      simt::sync_some(simt::kTeamBarrier, K::Mapping::kThreads);
    }
  }
};

/// Producer warps prepare all rows. Without them a warp prepares its own rows where it holds whole
/// ones, and waits for nobody else; otherwise the team prepares all rows.
template <class K>
struct Crew {
  using Mapping = typename K::Mapping;
  static constexpr bool kIsProducers = K::kProducerThreads > 0 && K::Metadata::kByCrew;
  static constexpr bool kIsWarp = !kIsProducers && Mapping::kWarpHoldsRows;
  static constexpr int kWorkers = kIsProducers ? K::kProducerThreads
                                  : kIsWarp    ? simt::kWarpLanes
                                               : Mapping::kThreads;
  static constexpr int kLaneGroups = kIsWarp ? simt::kWarpLanes / Mapping::kLanes : Mapping::kRows;
  static constexpr int kRows = kLaneGroups * Mapping::kRowsPerLane;

  __device__ static int worker() {
    if constexpr (kIsProducers) return static_cast<int>(simt::thread()) - Mapping::kThreads;
    return static_cast<int>(kIsWarp ? simt::lane() : simt::thread());
  }
  /// Row of the tile that is the crew's row `i`, 0 .. kRows - 1.
  __device__ static int row_in_tile(int i) {
    const int first = kIsWarp ? static_cast<int>(simt::warp()) * kLaneGroups : 0;
    return i / kLaneGroups * Mapping::kRows + first + i % kLaneGroups;
  }
  __device__ static void sync() {
    if constexpr (kIsProducers) {
      simt::sync_some(simt::kProducerBarrier, kWorkers);
    } else if constexpr (kIsWarp) {
      simt::sync_warp();
    } else {
      Team<K>::sync();
    }
  }
};

/// The points of a crew's rows in runs of neighbours of one level, dealt out to its workers: as
/// many points to a run as one wide load brings, as leave no worker without, and as have 32 bytes
/// of taps at most, because neighbouring workers' stores would otherwise meet in few banks.
template <class K>
struct PointRuns {
  using Problem = typename K::Problem;
  using Mapping = typename K::Mapping;
  static constexpr int kPointsPerRow = Problem::kLevels * Problem::kPoints;
  static constexpr int kPoints = [] {
    constexpr int kLoaded = 16 / (2 * static_cast<int>(sizeof(typename Problem::Location)));
    constexpr int kStored = 32 / static_cast<int>(sizeof(Taps<K>));
    int points = 1;
    while (2 * points <= kLoaded && 2 * points <= kStored && Problem::kPoints % (2 * points) == 0 &&
           Crew<K>::kRows * kPointsPerRow >= 2 * points * Crew<K>::kWorkers) {
      points *= 2;
    }
    return points;
  }();
  static constexpr int kRunsPerRow = kPointsPerRow / kPoints;
  static constexpr int kRuns = Crew<K>::kRows * kRunsPerRow;
  static constexpr int kRunsPerWorker = (kRuns + Crew<K>::kWorkers - 1) / Crew<K>::kWorkers;

  struct Run {
    bool exists;
    int row;    ///< in the tile
    int first;  ///< point of the row, levels one after another
    int level;
  };
  /// The n-th run of this worker.
  __device__ static Run run(int n) {
    const int i = n * Crew<K>::kWorkers + Crew<K>::worker();
    const int first = i % kRunsPerRow * kPoints;
    return {i < kRuns, Crew<K>::row_in_tile(i / kRunsPerRow), first, first / Problem::kPoints};
  }
};

}  // namespace msda
