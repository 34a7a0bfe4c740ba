// Neighbours in the order of work read neighbouring pixels: a pre-pass sorts each image's queries
// by the Morton code of their mean sampling location, on a grid of 64 x 64 cells, with one block
// for each image: count the cells, sum up, place. Queries of one cell come in any order; results do
// not depend on it.
#pragma once

#include <msda/simt/thread.cuh>
#include <msda/slots/order.cuh>
#include <msda/vector.cuh>

namespace msda::spatial_order {

template <class K, class Parameters>
struct Order {
  using Problem = typename K::Problem;

  /// Query numbers [image][position].
  static constexpr Extent kWorkspace = {0, 0, sizeof(int)};

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
    /// One item, hence one block, for each image.
    static constexpr LaunchShape kShape = {.threads = kThreads, .rows_per_query = 1, .chunks = 1};
    struct Storage {
      int cells[kCells];
      int warp_sums[kWarps];
    };

    __device__ static void run(const Arguments& arguments, Storage& storage) {
      int* cells = storage.cells;
      const long long image = simt::block();
      const int thread = static_cast<int>(simt::thread());
      for (int c = thread; c < kCells; c += kThreads) cells[c] = 0;
      simt::sync_block();
      for (long long q = thread; q < arguments.queries; q += kThreads) {
        simt::atomic_add(cells + cell(arguments, image, q), 1);
      }
      simt::sync_block();
      sum_up(cells, storage.warp_sums);
      int* order = static_cast<int*>(arguments.workspace[kOrder]) + image * arguments.queries;
      for (long long q = thread; q < arguments.queries; q += kThreads) {
        order[simt::atomic_add(cells + cell(arguments, image, q), 1)] = static_cast<int>(q);
      }
    }

   private:
    /// Turns counts into first positions.
    __device__ static void sum_up(int* cells, int* warp_sums) {
      const int thread = static_cast<int>(simt::thread());
      const int lane = static_cast<int>(simt::lane());
      int* mine = cells + thread * kCellsPerThread;
      int own = 0;
#pragma unroll
      for (int c = 0; c < kCellsPerThread; ++c) own += mine[c];
      const int through_lane = inclusive_sum(own, lane);
      if (lane == simt::kWarpLanes - 1) warp_sums[simt::warp()] = through_lane;
      simt::sync_block();
      if (simt::warp() == 0) warp_sums[lane] = inclusive_sum(warp_sums[lane], lane);
      simt::sync_block();
      int before = through_lane - own + (simt::warp() > 0 ? warp_sums[simt::warp() - 1] : 0);
#pragma unroll
      for (int c = 0; c < kCellsPerThread; ++c) {
        const int count = mine[c];
        mine[c] = before;
        before += count;
      }
      simt::sync_block();
    }

    __device__ static int inclusive_sum(int value, int lane) {
#pragma unroll
      for (int step = 1; step < simt::kWarpLanes; step *= 2) {
        const int other = simt::shuffle_up(value, step);
        if (lane >= step) value += other;
      }
      return value;
    }

    /// Cell of the mean of the query's finite locations.
    __device__ static int cell(const Arguments& arguments, long long image, long long query) {
      using Location = typename Problem::Location;
      constexpr int kPoints = Problem::kHeads * Problem::kLevels * Problem::kPoints;
      const auto* location = static_cast<const Vector<Location, 2>*>(arguments.locations) +
                             (image * arguments.queries + query) * kPoints;
      float x = 0.0F;
      float y = 0.0F;
      for (int p = 0; p < kPoints; ++p) {
        const float px = to_float(location[p].element[0]);
        const float py = to_float(location[p].element[1]);
        // Far outside, infinite or NaN: no part of the mean. Comparisons with a NaN are false.
        if (fabsf(px) < 2.0F && fabsf(py) < 2.0F) {
          x += px;
          y += py;
        }
      }
      return spread(x / kPoints) | spread(y / kPoints) << 1;
    }

    /// The bits of a coordinate's cell at the even places.
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
