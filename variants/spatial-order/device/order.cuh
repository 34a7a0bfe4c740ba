// Neighbours in the order read neighbouring pixels: a pre-pass sorts each image's queries by the
// Morton code of their mean sampling location, on a grid of 64 x 64 cells. A cluster of blocks
// sorts an image: each block counts the cells of its share of the queries, adds the counts of all
// blocks, and writes its queries. The order within a cell is arbitrary; results do not depend on
// it.
#pragma once

#include <msda/ptx/cluster.cuh>
#include <msda/simt/thread.cuh>
#include <msda/slots/order.cuh>
#include <msda/slots/points.cuh>
#include <msda/vector.cuh>

namespace msda::spatial_order {

template <class K, class Parameters>
struct Order {
  using Problem = typename K::Problem;

  /// Query numbers [image][position], then the cells of queries [image][query].
  static constexpr Extent kWorkspace = {0, 0, 2 * sizeof(int)};

  __device__ static long long query(const Arguments& arguments, long long image,
                                    long long position) {
    return static_cast<const int*>(
        arguments.workspace[kOrder])[image * arguments.queries + position];
  }

  struct Prepass {
    static constexpr int kBits = 6;  ///< per axis
    static constexpr int kCells = 1 << (2 * kBits);
    static constexpr int kThreads = 1024;
    static constexpr int kCellsPerThread = kCells / kThreads;
    static constexpr int kWarps = kThreads / simt::kWarpLanes;
    static constexpr int kBlocks = static_cast<int>(Parameters::blocks);
    /// One item, hence one cluster, for each image.
    static constexpr LaunchShape kShape = {
        .threads = kThreads, .rows_per_query = 1, .chunks = 1, .cluster = kBlocks};
    struct Storage {
      int cells[kCells];
      int warp_sums[kWarps];
    };

    __device__ static void run(const Arguments& arguments, Storage& storage) {
      int* cells = storage.cells;
      const long long image = simt::block() / kBlocks;
      const int rank = static_cast<int>(simt::block() % kBlocks);
      const int thread = static_cast<int>(simt::thread());
      const long long first = arguments.queries * rank / kBlocks + thread;
      const long long last = arguments.queries * (rank + 1) / kBlocks;
      int* order = static_cast<int*>(arguments.workspace[kOrder]) + image * arguments.queries;
      int* cell_of = order + arguments.batch * arguments.queries;
      for (int c = thread; c < kCells; c += kThreads) cells[c] = 0;
      simt::syncthreads();
      for (long long q = first; q < last; q += kThreads) {
        const int c = cell(arguments, image, q);
        cell_of[q] = c;
        simt::atomic_add(cells + c, 1);
      }
      sum_up(storage, rank);
      for (long long q = first; q < last; q += kThreads) {
        order[simt::atomic_add(cells + cell_of[q], 1)] = static_cast<int>(q);
      }
    }

   private:
    __device__ static void sync() {
      if constexpr (kBlocks > 1) {
        ptx::cluster_sync();
      } else {
        simt::syncthreads();
      }
    }

    /// Replaces the counts of all blocks by this block's first position in each cell: after all
    /// queries of earlier cells, and after those of the same cell of blocks of lower rank.
    __device__ static void sum_up(Storage& storage, int rank) {
      sync();
      const int thread = static_cast<int>(simt::thread());
      const int lane = static_cast<int>(simt::lane());
      int* warp_sums = storage.warp_sums;
      int all[kCellsPerThread] = {};
      int of_lower[kCellsPerThread] = {};
      int own = 0;
#pragma unroll
      for (int b = 0; b < kBlocks; ++b) {
        const int* counts = storage.cells;
        if constexpr (kBlocks > 1) counts = ptx::mapa(counts, b);
#pragma unroll
        for (int c = 0; c < kCellsPerThread; ++c) {
          const int count = counts[thread * kCellsPerThread + c];
          all[c] += count;
          of_lower[c] += b < rank ? count : 0;
          own += count;
        }
      }
      const int through_lane = simt::warp_inclusive_sum(own);
      if (lane == simt::kWarpLanes - 1) warp_sums[simt::warp()] = through_lane;
      simt::syncthreads();
      if (simt::warp() == 0) warp_sums[lane] = simt::warp_inclusive_sum(warp_sums[lane]);
      sync();  // the sums are there, and all blocks have read the counts
      int before = through_lane - own + (simt::warp() > 0 ? warp_sums[simt::warp() - 1] : 0);
#pragma unroll
      for (int c = 0; c < kCellsPerThread; ++c) {
        storage.cells[thread * kCellsPerThread + c] = before + of_lower[c];
        before += all[c];
      }
      simt::syncthreads();
    }

    /// Cell of the mean of the query's finite locations, or of where they are made to be.
    __device__ static int cell(const Arguments& arguments, long long image, long long query) {
      if constexpr (kMakesPoints<K>) {
        const Position about =
            K::Points::about(arguments, (image * arguments.queries + query) * Problem::kHeads);
        return spread(about.x) | spread(about.y) << 1;
      }
      using Location = typename Problem::Location;
      constexpr int kPoints = Problem::kHeads * kRowPoints<Problem>;
      constexpr int kTogether =
          common_divisor(16 / static_cast<int>(sizeof(Location)) / 2, kPoints);
      using Points = Vector<Location, 2 * kTogether>;
      const auto* location = static_cast<const Location*>(arguments.locations) +
                             (image * arguments.queries + query) * kPoints * 2;
      float x = 0.0F;
      float y = 0.0F;
#pragma unroll 4
      for (int p = 0; p < kPoints; p += kTogether) {
        const auto points =
            Points::read(location + 2 * p, [](const auto* word) { return ptx::ldg(word); });
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
          const float px = to_float(points.element[2 * i]);
          const float py = to_float(points.element[2 * i + 1]);
          // The mean excludes points far outside, infinite or NaN (comparisons with NaN are false).
          if (fabsf(px) < 2.0F && fabsf(py) < 2.0F) {
            x += px;
            y += py;
          }
        }
      }
      return spread(x / kPoints) | spread(y / kPoints) << 1;
    }

    /// The bits of a coordinate's cell at the even positions.
    __device__ static int spread(float mean) {
      const int c = max(0, min(static_cast<int>(mean * (1 << kBits)), (1 << kBits) - 1));
      int bits = 0;
#pragma unroll
      for (int b = 0; b < kBits; ++b) bits |= (c >> b & 1) << (2 * b);
      return bits;
    }
  };
};

}  // namespace msda::spatial_order
