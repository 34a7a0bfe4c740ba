// Level sizes in device memory: a block reads and checks them before anything else, because the
// host that launches the kernel does not know them.
#pragma once

#include <msda/level_sizes.cuh>
#include <msda/ptx/memory.cuh>
#include <msda/simt/thread.cuh>
#include <msda/vector.cuh>

namespace msda {

/// Reads int64 [L, 2], (height, width) of each level. Returns false if they are no pyramid of
/// `sizes.pixels` pixels, borders included.
template <class Problem>
__device__ inline bool read_shapes(const LevelSizes& sizes, LevelTable& table) {
  constexpr int kBorder = Problem::kBordered ? 2 : 0;
  long long shape[2 * Problem::kLevels];
#pragma unroll
  for (int i = 0; i < 2 * Problem::kLevels; ++i) shape[i] = ptx::ldg(sizes.shapes + i);
  long long start = 0;
  bool fits = true;
#pragma unroll
  for (int l = 0; l < Problem::kLevels; ++l) {
    const long long height = shape[2 * l];
    const long long width = shape[2 * l + 1];
    // Each factor is tested by itself: a product of any two numbers could wrap.
    fits = fits && height >= 1 && width >= 1 && height <= sizes.pixels && width <= sizes.pixels &&
           width <= Problem::kClass.most && height <= Problem::kClass.most;
    table.height[l] = static_cast<int>(height);
    table.width[l] = static_cast<int>(width);
    table.start[l] = static_cast<int>(start);
    if (fits) start += (height + kBorder) * (width + kBorder);
    fits = fits && start <= sizes.pixels;
  }
  return fits && start == sizes.pixels;
}

/// Called by all threads of the block. Leaves the sizes in the block's table, and returns the
/// number of the structure (kStructureOf) for them, or kNoPyramid.
template <class K>
__device__ __forceinline__ int read_levels(const Arguments& arguments, const ResidentBudget& budget,
                                           int most_resident) {
  using Problem = typename K::Problem;
  LevelTable& table = shared_storage<LevelTable>();
  if (simt::thread() == 0) {
    LevelSizes sizes;
    sizes.pixels = arguments.views.sizes.pixels;
    sizes.shapes = arguments.views.sizes.shapes;
    table.structure = kNoPyramid;
    if (read_shapes<Problem>(sizes, table)) {
      bool single = false;
#pragma unroll
      for (int l = 0; l < Problem::kLevels; ++l) {
        sizes.start[l] = table.start[l];
        single = single || table.width[l] == 1 || table.height[l] == 1;
      }
      table.structure =
          single ? most_resident + 1 : resident_levels(sizes, Problem::kLevels, budget);
    }
  }
  simt::syncthreads();
  return table.structure;
}

/// What a launch of blocks of `threads` threads leaves if the sizes are no pyramid: NaN in each
/// element of the output.
template <class Problem, class Arguments>
__device__ inline void fill_with_nan(const Arguments& arguments, unsigned threads) {
  using Output = typename Problem::Output;
  const long long count =
      arguments.batch * arguments.queries * Problem::kHeads * Problem::kChannels;
  const long long all = static_cast<long long>(simt::blocks()) * threads;
  const long long first = static_cast<long long>(simt::block()) * threads + simt::thread();
  auto* output = static_cast<Output*>(arguments.output);
  for (long long i = first; i < count; i += all) {
    output[i] = from_float<Output>(__uint_as_float(0x7fffffffU));
  }
}

}  // namespace msda
