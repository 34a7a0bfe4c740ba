// Slot "mapping": which lanes compute which channels of which rows, and which taps each lane reads.
#pragma once

#include <msda/contract.cuh>
#include <msda/simt/thread.cuh>
#include <msda/vector.cuh>

namespace msda {

/// Static members, called by consumers. Of a block:
///
/// - `kThreads`: consumer threads, whole warps; `kRows`: lane groups, each of `kLanes` lanes that
///   share a row; `kRowsPerLane`: rows that a lane works on at a time;
/// - `kItemChannels`: channels of a row in one work item; `kChannelBlocks`: items that share a row;
/// - `kWarpHoldsRows`: the lanes of each row are in one warp, and no warp has idle lanes.
///
/// Of a lane:
///
/// - `kVector`: channels; `kTaps`: corners of a point that it reads; `kSides`: 2 if half of the
///   lanes read the left column and half the right one, `kLanesPerSide` lanes each;
/// - row() returns its lane group, kRows or more if it is idle; lane() its number in the group, in
///   which the lanes of one side are neighbours;
/// - side() returns the column that it reads if there are two sides: 0 left, 1 right;
/// - channel(channel_block) returns its first channel of the row;
/// - tap_column(tap), tap_row(tap) return the tap's pixel, relative to the anchor and to its side.
///
/// At the end of a row:
///
/// - combine(sums, combined): called by all lanes of the warp. Adds the sums of the two sides, and
///   leaves `kStored` channels to each lane;
/// - stores(), stored_channel(channel_block) return whether the lane stores these channels, and the
///   first of them.
template <class Policy, class K>
concept MappingPolicy = requires(typename K::Arithmetic::template Sums<Policy::kVector>& sums,
                                 float (&combined)[Policy::kStored], int i) {
  requires kConstant<int, Policy::kThreads>;
  requires kConstant<int, Policy::kRows>;
  requires kConstant<int, Policy::kLanes>;
  requires kConstant<int, Policy::kRowsPerLane>;
  requires kConstant<int, Policy::kItemChannels>;
  requires kConstant<int, Policy::kChannelBlocks>;
  requires kConstant<bool, Policy::kWarpHoldsRows>;
  requires kConstant<int, Policy::kTaps>;
  requires kConstant<int, Policy::kSides>;
  requires kConstant<int, Policy::kLanesPerSide>;
  requires kConstant<int, Policy::tap_column(0)>;
  requires kConstant<int, Policy::tap_row(0)>;
  { Policy::row() } -> Same<int>;
  { Policy::lane() } -> Same<int>;
  { Policy::side() } -> Same<int>;
  { Policy::channel(i) } -> Same<int>;
  Policy::combine(sums, combined);
  { Policy::stores() } -> Same<bool>;
  { Policy::stored_channel(i) } -> Same<int>;
};

/// Channels of a lane: `wanted`, or for 0 as many of `channels` as a word of 16 bytes holds.
template <class Problem>
constexpr int vector_width(long long wanted, int channels = Problem::kChannels) {
  constexpr int kSize = static_cast<int>(sizeof(typename Problem::Value));
  return wanted != 0 ? static_cast<int>(wanted) : widest_word(channels * kSize) / kSize;
}

/// How LaneMapping divides a block.
struct LaneShape {
  int vector;         ///< channels of a lane
  long long threads;  ///< of a block, at most
  int channels;       ///< of a row in one work item
  int sides = 1;      ///< 2: a lane reads either the left or the right column
  int rows_per_lane = 1;
  int interleaved = 1;  ///< rows whose sides are interleaved, if these rows fill whole warps
};

/// Lanes have neighbouring channels, and a row has neighbouring lanes: with two sides first the
/// lanes of the left column, whose pixel is next to the right one in memory. Of interleaved rows
/// the left lanes of all rows come first. A block works on a whole number of rows.
template <class Problem, LaneShape shape>
struct LaneMapping {
  static_assert(Problem::kChannels % shape.channels == 0 && shape.channels % shape.vector == 0,
                "the vector width divides the channels of an item, and those divide all channels");

  static constexpr int kItemChannels = shape.channels;
  static constexpr int kVector = shape.vector;
  static constexpr int kSides = shape.sides;
  static constexpr int kTaps = 4 / kSides;
  static constexpr int kLanesPerSide = kItemChannels / kVector;
  static constexpr int kLanes = kSides * kLanesPerSide;
  static constexpr int kRowsPerLane = shape.rows_per_lane;
  static constexpr int kChannelBlocks = Problem::kChannels / kItemChannels;
  static constexpr int kRows =
      shape.threads >= kLanes ? static_cast<int>(shape.threads) / kLanes : 1;
  static constexpr int kThreads =
      (kRows * kLanes + simt::kWarpLanes - 1) / simt::kWarpLanes * simt::kWarpLanes;
  static constexpr bool kWarpHoldsRows =
      simt::kWarpLanes % kLanes == 0 && kRows * kLanes == kThreads;

  static constexpr int kInterleaved =
      kSides == 2 && kWarpHoldsRows && simt::kWarpLanes % (shape.interleaved * kLanes) == 0
          ? shape.interleaved
          : 1;
  /// Lanes from a lane of the left column to its counterpart of the right column.
  static constexpr int kSideStride = kInterleaved * kLanesPerSide;

  __device__ static int row() {
    const int thread = static_cast<int>(simt::thread());
    if constexpr (kInterleaved == 1) return thread / kLanes;
    return thread / (kInterleaved * kLanes) * kInterleaved + thread / kLanesPerSide % kInterleaved;
  }
  __device__ static int lane() {
    const int thread = static_cast<int>(simt::thread());
    if constexpr (kInterleaved == 1) return thread % kLanes;
    return thread / kSideStride % kSides * kLanesPerSide + thread % kLanesPerSide;
  }
  __device__ static int side() { return lane() / kLanesPerSide; }
  __device__ static int channel(int channel_block) {
    return channel_block * kItemChannels + lane() % kLanesPerSide * kVector;
  }
  __device__ static constexpr int tap_column(int tap) { return kSides == 2 ? 0 : tap % 2; }
  __device__ static constexpr int tap_row(int tap) { return kSides == 2 ? tap : tap / 2; }

  /// After the exchange each side holds half of the channels, or the left side all of an odd
  /// number.
  static constexpr bool kSharesChannels = kSides == 2 && kVector % 2 == 0;
  static constexpr int kStored = kSharesChannels ? kVector / 2 : kVector;

  template <class Sums>
  __device__ static void combine(const Sums& sums, float (&combined)[kStored]) {
    static_assert(kSides == 1 || simt::kWarpLanes % kLanes == 0, "both sides of a row in one warp");
#pragma unroll
    for (int v = 0; v < kStored; ++v) {
      if constexpr (kSides == 1) {
        combined[v] = sums.sum[v];
      } else if constexpr (kSharesChannels) {
        const float kept = side() == 0 ? sums.sum[v] : sums.sum[v + kStored];
        const float given = side() == 0 ? sums.sum[v + kStored] : sums.sum[v];
        combined[v] = kept + simt::shfl_xor_sync(given, kSideStride);
      } else {
        combined[v] = sums.sum[v] + simt::shfl_xor_sync(sums.sum[v], kSideStride);
      }
    }
  }
  __device__ static bool stores() { return kSharesChannels || side() == 0; }
  __device__ static int stored_channel(int channel_block) {
    return channel(channel_block) + (kSharesChannels ? side() * kStored : 0);
  }
};

/// Default: a lane for each channel of a row.
template <class K, class Parameters>
struct ChannelPerLane
    : LaneMapping<typename K::Problem,
                  LaneShape{.vector = 1, .threads = 256, .channels = K::Problem::kChannels}> {};

}  // namespace msda
