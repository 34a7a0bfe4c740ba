// Every point's taps are computed by one thread and read by all lanes of its row from shared
// memory, several points per read. Where whole rows lie in a warp, that warp computes its own rows'
// taps and only it waits; otherwise the block does.
#pragma once

#include <msda/simt/thread.cuh>
#include <msda/slots/metadata.cuh>
#include <msda/vector.cuh>

namespace msda::shared_metadata {

template <class Problem, class Parameters>
struct Metadata {
  static constexpr Slot kSlot = kMetadata;
  static constexpr int kPointsPerRow = Problem::kLevels * Problem::kPoints;

  /// Bytes from one (row, side) to the next: one word of padding lets the two sides, and
  /// neighbouring rows, be read without bank conflicts.
  template <class K>
  static constexpr int kRunBytes = kPointsPerRow* static_cast<int>(sizeof(Taps<K>)) + 16;

  template <class K>
  static constexpr unsigned kSharedBytes =
      K::Mapping::kRows* K::Mapping::kRowsPerLane* K::Mapping::kSides* kRunBytes<K>;

  template <class K>
  class Reader {
    using Mapping = typename K::Mapping;
    static constexpr int kRowsPerWarp =
        Mapping::kWarpHoldsRows ? simt::kWarpLanes / Mapping::kLanes : Mapping::kRows;
    static constexpr int kWorkers = Mapping::kWarpHoldsRows ? simt::kWarpLanes : Mapping::kThreads;

   public:
    __device__ Reader(const Arguments& arguments, unsigned char* shared) : shared_(shared) {
      static_cast<void>(arguments);
    }

    template <class Samples, class FlatRow>
    __device__ void enter(const Samples& samples, const FlatRow& flat_row) {
      sync();  // the taps of the tile before have been read
      const int first_row =
          Mapping::kWarpHoldsRows ? static_cast<int>(simt::warp()) * kRowsPerWarp : 0;
      const int worker = static_cast<int>(Mapping::kWarpHoldsRows ? simt::lane() : simt::thread());
#pragma unroll
      for (int r = 0; r < Mapping::kRowsPerLane; ++r) {
        for (int i = worker; i < kRowsPerWarp * kPointsPerRow; i += kWorkers) {
          const int row = r * Mapping::kRows + first_row + i / kPointsPerRow;
          const int in_row = i % kPointsPerRow;
          const int level = in_row / Problem::kPoints;
          write(samples.sample(flat_row(row), row, level, in_row % Problem::kPoints), level, row,
                in_row);
        }
      }
      sync();
    }

    template <int level, int points, class Samples>
    __device__ void read(const Samples& samples, long long flat_row, int row_in_tile, int point,
                         Taps<K> (&taps)[points]) const {
      static_cast<void>(samples);
      static_cast<void>(flat_row);
      // Whole words of 16 bytes where every batch begins on one.
      constexpr int kTap = static_cast<int>(sizeof(Taps<K>));
      constexpr bool kAligned = kTap % 16 == 0 || (Problem::kPoints % 2 == 0 && points % 2 == 0);
      using Word = ptx::Word<kAligned ? 16 : 8>;
      const auto* from = reinterpret_cast<const Word*>(run(row_in_tile, Mapping::side()) +
                                                       (level * Problem::kPoints + point) * kTap);
      auto* to = reinterpret_cast<Word*>(taps);
#pragma unroll
      for (int w = 0; w < points * kTap / static_cast<int>(sizeof(Word)); ++w) to[w] = from[w];
    }

   private:
    __device__ static void sync() {
      if constexpr (Mapping::kWarpHoldsRows) {
        simt::sync_warp();
      } else {
        simt::sync_block();
      }
    }
    __device__ unsigned char* run(int row, int side) const {
      return shared_ + (row * Mapping::kSides + side) * kRunBytes<K>;
    }
    __device__ void write(const Sample& sample, int level, int row, int in_row) const {
#pragma unroll
      for (int side = 0; side < Mapping::kSides; ++side) {
        auto* to = reinterpret_cast<Taps<K>*>(run(row, side));
        to[in_row] = make_taps<K>(sample, level, side);
      }
    }

    unsigned char* shared_;
  };
};

}  // namespace msda::shared_metadata
