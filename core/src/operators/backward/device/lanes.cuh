// Slot "lanes": which lanes of a warp read which channels and corners of a row's points.
#pragma once

#include <msda/contract.cuh>
#include <msda/level_points.cuh>
#include <msda/simt/thread.cuh>
#include <msda/vector.cuh>

namespace msda {

/// A row has `kLanes` neighbouring lanes of one warp, a power of two: with `kSides` 2 first
/// `kLanesPerSide` lanes that read the corners of the left column, then those of the right one. A
/// lane has `kOwn` vectors of `kVector` channels, every kLanesPerSide-th of the row's `kChunks`.
/// A block has `kThreads` threads, whole warps, and `kRows` rows at a time; registers suffice for
/// `kLeastBlocks` blocks of an SM. A lane has the values of at most `kPoints` points in flight, a
/// power of two. With `kLevelsApart` a work item is one level of its rows.
template <class Policy, class K>
concept LanesPolicy = requires {
  requires kConstant<int, Policy::kThreads>;
  requires kConstant<int, Policy::kRows>;
  requires kConstant<int, Policy::kWarpRows>;
  requires kConstant<unsigned, Policy::kLeastBlocks>;
  requires kConstant<int, Policy::kPoints>;
  requires kConstant<bool, Policy::kLevelsApart>;
  requires kConstant<int, Policy::kSides>;
  requires kConstant<int, Policy::kLanes>;
  requires kConstant<int, Policy::kLanesPerSide>;
  requires kConstant<int, Policy::kVector>;
  requires kConstant<int, Policy::kChunks>;
  requires kConstant<int, Policy::kOwn>;
};

constexpr int power_of_two_from(int count) {
  int power = 1;
  while (power < count) power *= 2;
  return power;
}

struct RowLaneShape {
  int threads;
  int sides;
  int bytes;            ///< of a lane's vector at most
  unsigned blocks = 1;  ///< of an SM at least
  int points = 4;
  bool levels_apart = false;
};

/// A row's lanes as few as hold its channels in vectors, half a warp for each side at most.
template <class Problem, RowLaneShape shape>
struct RowLaneMapping {
  static constexpr int kSize = static_cast<int>(sizeof(typename Problem::Value));
  static constexpr int kSides = shape.sides;
  static constexpr int kVector = widest_word(Problem::kChannels * kSize, shape.bytes) / kSize;
  static constexpr int kChunks = Problem::kChannels / kVector;
  static constexpr int kLanesPerSide = [] {
    constexpr int kMost = simt::kWarpLanes / kSides;
    constexpr int kWanted = power_of_two_from(kChunks);
    return kWanted < kMost ? kWanted : kMost;
  }();
  static constexpr int kLanes = kSides * kLanesPerSide;
  static constexpr int kOwn = (kChunks + kLanesPerSide - 1) / kLanesPerSide;
  static constexpr int kWarpRows = simt::kWarpLanes / kLanes;
  /// Whole warps, of which the cells of all rows fit in shared memory.
  static constexpr int kThreads = [] {
    constexpr int kCellBytes = 16;
    constexpr int kMostBytes = 1 << 16;
    constexpr int kPoints = shape.levels_apart ? Problem::kPoints : kRowPoints<Problem>;
    constexpr int kWarpBytes = kWarpRows * (kPoints + 1) * kCellBytes;
    int warps = shape.threads / simt::kWarpLanes;
    while (warps > 1 && warps * kWarpBytes > kMostBytes) --warps;
    return warps * simt::kWarpLanes;
  }();
  static constexpr int kRows = kThreads / kLanes;
  static constexpr unsigned kLeastBlocks = shape.blocks;
  static constexpr int kPoints = shape.points;
  static constexpr bool kLevelsApart = shape.levels_apart;
};

/// Default: words of 16 bytes, and a side for each column.
template <class K, class Parameters>
struct RowLanes
    : RowLaneMapping<typename K::Problem, RowLaneShape{.threads = 256, .sides = 2, .bytes = 16}> {};

/// This thread's place.
template <class K>
struct Place {
  using Lanes = typename K::Lanes;
  __device__ static int warp_row() { return static_cast<int>(simt::lane()) / Lanes::kLanes; }
  __device__ static int lane() { return static_cast<int>(simt::lane()) % Lanes::kLanes; }
  __device__ static int side() { return Lanes::kSides == 1 ? 0 : lane() / Lanes::kLanesPerSide; }
  __device__ static int in_side() { return lane() % Lanes::kLanesPerSide; }
  /// Its n-th vector of the row; kChunks or more: it has none.
  __device__ static int chunk(int n) { return in_side() + n * Lanes::kLanesPerSide; }
  __device__ static bool has(int n) {
    return Lanes::kOwn * Lanes::kLanesPerSide == Lanes::kChunks || chunk(n) < Lanes::kChunks;
  }
};

}  // namespace msda
