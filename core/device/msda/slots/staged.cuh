// Locations and weights of a tile's rows in shared memory: what the pipeline levels that fetch
// ahead share.
#pragma once

#include <msda/launch.cuh>
#include <msda/sampling.cuh>
#include <msda/simt/thread.cuh>
#include <msda/vector.cuh>

namespace msda {

/// A row's locations, then its weights, as stored; each part a whole number of words.
template <class K>
struct StagedRows {
  using Problem = typename K::Problem;
  using Mapping = typename K::Mapping;
  using Location = typename Problem::Location;
  using Weight = typename Problem::Weight;
  static constexpr int kPoints = Problem::kLevels * Problem::kPoints;
  static constexpr int kLocationBytes = 2 * kPoints * static_cast<int>(sizeof(Location));
  static constexpr int kWeightBytes = kPoints * static_cast<int>(sizeof(Weight));
  static constexpr int kRowBytes = (kLocationBytes + kWeightBytes + 15) / 16 * 16;
  static constexpr int kTileRows = Mapping::kRows * Mapping::kRowsPerLane;
  static constexpr int kTileBytes = kTileRows * kRowBytes;

  /// Largest word that both parts, of any row, consist of: 2 to 16 bytes.
  static constexpr int kWordBytes = [] {
    int word = 16;
    while (kLocationBytes % word != 0 || kWeightBytes % word != 0) word /= 2;
    return word;
  }();
  static constexpr int kLocationWords = kLocationBytes / kWordBytes;
  static constexpr int kRowWords = kLocationWords + kWeightBytes / kWordBytes;

  /// Those who stage rows together: a warp its own rows where it holds whole ones, else the block.
  static constexpr bool kByWarp = Mapping::kWarpHoldsRows;
  static constexpr int kWorkers = kByWarp ? simt::kWarpLanes : Mapping::kThreads;
  static constexpr int kGroups = kByWarp ? simt::kWarpLanes / Mapping::kLanes : Mapping::kRows;
  static constexpr int kWords =
      kGroups * Mapping::kRowsPerLane * kRowWords;  ///< of one tile, for all workers
  static constexpr int kWordsPerWorker = (kWords + kWorkers - 1) / kWorkers;

  __device__ static void sync() {
    if constexpr (kByWarp) {
      simt::sync_warp();
    } else {
      simt::sync_block();
    }
  }

  /// Calls copy(address in global memory, byte in the tile, n) for the n-th of this thread's words.
  /// `ahead` tiles from the current one.
  template <class FlatRow, class Copy>
  __device__ static void for_each_word(const Arguments& arguments, const FlatRow& flat_row,
                                       int ahead, const Copy& copy) {
    const int worker = static_cast<int>(kByWarp ? simt::lane() : simt::thread());
    const int first_row = kByWarp ? static_cast<int>(simt::warp()) * kGroups : 0;
#pragma unroll
    for (int n = 0; n < kWordsPerWorker; ++n) {
      const int i = n * kWorkers + worker;
      if (i < kWords) {
        const int in_group = i / kRowWords;
        const int word = i % kRowWords;
        const int row = in_group / kGroups * Mapping::kRows + first_row + in_group % kGroups;
        const long long flat = flat_row(ahead * kTileRows + row);
        const unsigned char* from =
            word < kLocationWords ? static_cast<const unsigned char*>(arguments.locations) +
                                        flat * kLocationBytes + word * kWordBytes
                                  : static_cast<const unsigned char*>(arguments.weights) +
                                        flat * kWeightBytes + (word - kLocationWords) * kWordBytes;
        copy(from, row * kRowBytes + word * kWordBytes, n);
      }
    }
  }

  /// Point `point` of level `level` of row `row_in_tile` of the tile staged at `tile`.
  __device__ static Sample sample(const unsigned char* tile, int row_in_tile, int level,
                                  int point) {
    const unsigned char* row = tile + row_in_tile * kRowBytes;
    const int at = level * Problem::kPoints + point;
    const auto* location = reinterpret_cast<const Vector<Location, 2>*>(row) + at;
    const auto* weight = reinterpret_cast<const Weight*>(row + kLocationBytes) + at;
    return {to_float(location->element[0]), to_float(location->element[1]), to_float(*weight)};
  }
};

}  // namespace msda
