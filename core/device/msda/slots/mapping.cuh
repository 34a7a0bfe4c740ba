// Slot "mapping": which lanes compute which channels of which rows, and how many taps each lane
// reads.
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>

namespace msda {

/// `vector` neighbouring channels per lane and all four corners: the lanes of a row lie side by
/// side. Blocks have at most `threads` threads, of which a whole number of rows is used.
template <class Problem, int vector, int threads>
struct LaneMapping {
  static constexpr Slot kSlot = kMapping;
  static_assert(Problem::kChannels % vector == 0, "the vector width divides the channels");

  static constexpr int kVector = vector;                      ///< channels per lane and tap
  static constexpr int kLanes = Problem::kChannels / vector;  ///< lanes that share a row
  static constexpr int kTaps = 4;                             ///< corners that one lane reads
  static constexpr int kRowsPerLane = 1;    ///< rows that one lane works on at a time
  static constexpr int kChannelBlocks = 1;  ///< work items that share a row's channels
  static constexpr int kRows =
      threads / kLanes > 0 ? threads / kLanes : 1;  ///< per block at a time
  static constexpr int kThreads =
      (kRows * kLanes + simt::kWarpLanes - 1) / simt::kWarpLanes * simt::kWarpLanes;

  /// Row of this thread among the block's kRows; kRows or more for threads without one.
  __device__ static int row() { return static_cast<int>(simt::thread()) / kLanes; }
  /// Lane of this thread among the row's kLanes.
  __device__ static int lane() { return static_cast<int>(simt::thread()) % kLanes; }
  /// First channel of this lane. `channel_block` is the work item's, 0 .. kChannelBlocks - 1.
  __device__ static int channel(int channel_block) {
    static_cast<void>(channel_block);
    return lane() * kVector;
  }
  /// Column (0 left, 1 right) and row (0 upper, 1 lower) of tap `tap`.
  __device__ static constexpr int tap_right(int tap) { return tap % 2; }
  __device__ static constexpr int tap_below(int tap) { return tap / 2; }

  /// Combines the sums of lanes that read different taps of the same channels.
  template <class Sums>
  __device__ static void combine(Sums& sums) {
    static_cast<void>(sums);
  }
  /// True for the lanes that store their channels after combine().
  __device__ static bool stores() { return true; }
};

}  // namespace msda
