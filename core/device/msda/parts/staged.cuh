// Points of a tile's rows in shared memory: the common part of point-fetch policies
// that fetch ahead.
#pragma once

#include <msda/parts/metadata_threads.cuh>
#include <msda/slots/point_fetch.cuh>
#include <msda/vector.cuh>

namespace msda {

/// A row's locations, then its weights, then what slot points reads beside them, as stored; each a
/// whole number of words.
template <class K>
struct StagedRows {
  using Problem = typename K::Problem;
  using Threads = MetadataThreads<K>;
  using Location = typename Problem::Location;
  using Weight = typename Problem::Weight;
  static constexpr int kPoints = kRowPoints<Problem>;
  static constexpr int kExtraBytes = K::Points::kExtraBytes;

  struct alignas(16) Row {
    Location locations[2 * kPoints];
    Weight weights[kPoints];
  };
  struct alignas(16) RowWithExtra : Row {
    alignas(16) unsigned char extra[kExtraBytes == 0 ? 1 : kExtraBytes];
  };
  using StagedRow = Conditional<kExtraBytes == 0, Row, RowWithExtra>;
  struct Tile {
    StagedRow row[kTileRows<K>];
  };

  /// `points` points of a row from point `first` on.
  template <int points>
  __device__ static auto read(const StagedRow& row, int first) {
    const auto load = [](const auto* p) { return *p; };
    const unsigned char* extra = nullptr;
    if constexpr (kExtraBytes != 0) extra = row.extra;
    return K::Points::template Stored<points>::with(
        StoredPoints<Problem, points>::read(row.locations + 2 * first, row.weights + first, load),
        extra, first, load);
  }

  static constexpr int kLocationBytes = sizeof(Row::locations);
  static constexpr int kWeightBytes = sizeof(Row::weights);
  /// The largest word that divides all: 2 to 16 bytes.
  using Word = ptx::Word<widest_word(kLocationBytes, kWeightBytes, kExtraBytes)>;
  static constexpr int kWordBytes = sizeof(Word);
  static constexpr int kLocationWords = kLocationBytes / kWordBytes;
  static constexpr int kPointWords = kLocationWords + kWeightBytes / kWordBytes;
  static constexpr int kRowWords = kPointWords + kExtraBytes / kWordBytes;

  static constexpr int kWords = Threads::kRows * kRowWords;  ///< of one tile, for all its threads
  static constexpr int kWordsPerThread = (kWords + Threads::kCount - 1) / Threads::kCount;

  /// Calls copy(address in global memory, row of the tile, word of the row, n) for this thread's
  /// n-th word of the tile `ahead` tiles after the current one.
  template <class FlatRow, class Copy>
  __device__ static void for_each_word(const Arguments& arguments, const FlatRow& flat_row,
                                       int ahead, const Copy& copy) {
#pragma unroll
    for (int n = 0; n < kWordsPerThread; ++n) {
      const int i = n * Threads::kCount + Threads::index();
      if (i < kWords) {
        const int word = i % kRowWords;
        const int row = Threads::row_in_tile(i / kRowWords);
        const long long flat = flat_row(ahead * kTileRows<K> + row);
        if (kExtraBytes != 0 && word >= kPointWords) {
          const unsigned char* extra =
              K::Points::extra(arguments, flat) + (word - kPointWords) * kWordBytes;
          copy(reinterpret_cast<const Word*>(extra), row, word, n);
          continue;
        }
        const unsigned char* from =
            word < kLocationWords ? static_cast<const unsigned char*>(arguments.locations) +
                                        flat * kLocationBytes + word * kWordBytes
                                  : static_cast<const unsigned char*>(arguments.weights) +
                                        flat * kWeightBytes + (word - kLocationWords) * kWordBytes;
        copy(reinterpret_cast<const Word*>(from), row, word, n);
      }
    }
  }
  /// Address of a word of a row of the tile.
  __device__ static Word* word(Tile& tile, int row, int word) {
    constexpr int kRowStride = static_cast<int>(sizeof(StagedRow) / sizeof(Word));
    if constexpr (kExtraBytes != 0) {
      if (word >= kPointWords) {
        return reinterpret_cast<Word*>(tile.row[row].extra) + (word - kPointWords);
      }
    }
    return reinterpret_cast<Word*>(tile.row) + (row * kRowStride + word);
  }
};

}  // namespace msda
