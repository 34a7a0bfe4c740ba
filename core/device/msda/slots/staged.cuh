// Locations and weights of a tile's rows in shared memory: what the pipeline policies that fetch
// ahead share.
#pragma once

#include <msda/launch.cuh>
#include <msda/sampling.cuh>
#include <msda/slots/metadata_threads.cuh>
#include <msda/slots/pipeline.cuh>
#include <msda/vector.cuh>

namespace msda {

/// A row's locations, then its weights, as stored; each part a whole number of words.
template <class K>
struct StagedRows {
  using Problem = typename K::Problem;
  using Threads = MetadataThreads<K>;
  using Location = typename Problem::Location;
  using Weight = typename Problem::Weight;
  static constexpr int kPoints = Problem::kLevels * Problem::kPoints;
  static constexpr int kLocationBytes = 2 * kPoints * static_cast<int>(sizeof(Location));
  static constexpr int kWeightBytes = kPoints * static_cast<int>(sizeof(Weight));
  static constexpr int kRowBytes = (kLocationBytes + kWeightBytes + 15) / 16 * 16;
  static constexpr int kTileRows = K::Mapping::kRows * K::Mapping::kRowsPerLane;
  static constexpr int kTileBytes = kTileRows * kRowBytes;

  /// Largest word that both parts, of any row, consist of: 2 to 16 bytes.
  static constexpr int kWordBytes = [] {
    int word = 16;
    while (kLocationBytes % word != 0 || kWeightBytes % word != 0) word /= 2;
    return word;
  }();
  static constexpr int kLocationWords = kLocationBytes / kWordBytes;
  static constexpr int kRowWords = kLocationWords + kWeightBytes / kWordBytes;

  static constexpr int kWords = Threads::kRows * kRowWords;  ///< of one tile, for all its threads
  static constexpr int kWordsPerThread = (kWords + Threads::kCount - 1) / Threads::kCount;

  /// Calls copy(address in global memory, byte in the tile, n) for the n-th of this thread's words.
  /// `ahead` tiles from the current one.
  template <class FlatRow, class Copy>
  __device__ static void for_each_word(const Arguments& arguments, const FlatRow& flat_row,
                                       int ahead, const Copy& copy) {
#pragma unroll
    for (int n = 0; n < kWordsPerThread; ++n) {
      const int i = n * Threads::kCount + Threads::index();
      if (i < kWords) {
        const int word = i % kRowWords;
        const int row = Threads::row_in_tile(i / kRowWords);
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

  /// `points` points from the row's point `first` on, of row `row_in_tile` of the tile staged at
  /// `tile`.
  template <int points>
  __device__ static StoredSamples<Problem, points> read(const unsigned char* tile, int row_in_tile,
                                                        int first) {
    const unsigned char* row = tile + row_in_tile * kRowBytes;
    return StoredSamples<Problem, points>::read(
        reinterpret_cast<const Location*>(row),
        reinterpret_cast<const Weight*>(row + kLocationBytes), first,
        [](const auto* p) { return *p; });
  }
};

}  // namespace msda
