// Slot "mapping": which lanes compute which channels of which rows, and which taps each lane reads.
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>

namespace msda {

/// Channels per lane: `wanted`, or for 0 the widest power of two that 16 bytes of the problem's
/// values hold and that divides `channels`.
template <class Problem>
constexpr int vector_width(int wanted, int channels = Problem::kChannels) {
  if (wanted != 0) return wanted;
  int widest = 16 / static_cast<int>(sizeof(typename Problem::Value));
  while (channels % widest != 0) widest /= 2;
  return widest;
}

/// `vector` neighbouring channels of a row per lane. With one side a lane reads all four corners of
/// a point; with two, half of the lanes read the left column and the others, their neighbours in
/// memory, the right one. The lanes of a row lie side by side; a block has at most `threads`
/// threads and works on a whole number of rows. `channels` of a row belong to one work item;
/// `blocking` rows to one lane.
template <class Problem, int vector, int threads, int sides = 1, int channels = Problem::kChannels,
          int blocking = 1>
struct LaneMapping {
  static constexpr Slot kSlot = kMapping;
  static_assert(Problem::kChannels % channels == 0 && channels % vector == 0,
                "the vector width divides the channels of an item, and those divide all channels");

  static constexpr int kItemChannels = channels;  ///< of a row in one work item
  static constexpr int kVector = vector;          ///< channels per lane and tap
  static constexpr int kSides = sides;            ///< lane groups that share a point
  static constexpr int kTaps = 4 / sides;         ///< corners that one lane reads
  static constexpr int kLanesPerSide = channels / vector;
  static constexpr int kLanes = sides * kLanesPerSide;  ///< lanes that share a row
  static constexpr int kRowsPerLane = blocking;         ///< rows that one lane works on at a time
  static constexpr int kChannelBlocks = Problem::kChannels / channels;  ///< items that share a row
  static constexpr int kRows =
      threads / kLanes > 0 ? threads / kLanes : 1;  ///< lane groups per block
  static constexpr int kThreads =
      (kRows * kLanes + simt::kWarpLanes - 1) / simt::kWarpLanes * simt::kWarpLanes;
  /// True when no row's lanes lie in two warps, and no warp has idle lanes.
  static constexpr bool kWarpHoldsRows =
      simt::kWarpLanes % kLanes == 0 && kRows * kLanes == kThreads;

  /// Lane group of this thread among the block's kRows; kRows or more for idle threads.
  __device__ static int row() { return static_cast<int>(simt::thread()) / kLanes; }
  __device__ static int lane() { return static_cast<int>(simt::thread()) % kLanes; }
  /// Column that this lane reads with two sides: 0 left, 1 right.
  __device__ static int side() { return lane() / kLanesPerSide; }
  /// First channel of this lane. `channel_block` is the work item's, 0 .. kChannelBlocks - 1.
  __device__ static int channel(int channel_block) {
    return channel_block * channels + lane() % kLanesPerSide * kVector;
  }
  /// Column and row of tap `tap`, relative to the anchor and to the lane's side.
  __device__ static constexpr int tap_column(int tap) { return sides == 2 ? 0 : tap % 2; }
  __device__ static constexpr int tap_row(int tap) { return sides == 2 ? tap : tap / 2; }

  /// Channels that a lane holds after combine(): of two sides each keeps half of its channels, or,
  /// where they are not even, the left one keeps them all.
  static constexpr bool kSharesChannels = sides == 2 && vector % 2 == 0;
  static constexpr int kStored = kSharesChannels ? vector / 2 : vector;

  /// Adds the sums of the two sides.
  template <class Sums>
  __device__ static void combine(const Sums& sums, float (&combined)[kStored]) {
    static_assert(sides == 1 || simt::kWarpLanes % kLanes == 0, "both sides of a row in one warp");
#pragma unroll
    for (int v = 0; v < kStored; ++v) {
      if constexpr (sides == 1) {
        combined[v] = sums.sum[v];
      } else if constexpr (kSharesChannels) {
        const float kept = side() == 0 ? sums.sum[v] : sums.sum[v + kStored];
        const float given = side() == 0 ? sums.sum[v + kStored] : sums.sum[v];
        combined[v] = kept + simt::shuffle_xor(given, kLanesPerSide);
      } else {
        combined[v] = sums.sum[v] + simt::shuffle_xor(sums.sum[v], kLanesPerSide);
      }
    }
  }
  /// True for the lanes that store after combine(), and the first channel that they store.
  __device__ static bool stores() { return kSharesChannels || side() == 0; }
  __device__ static int stored_channel(int channel_block) {
    return channel(channel_block) + (kSharesChannels ? side() * kStored : 0);
  }
};

}  // namespace msda
