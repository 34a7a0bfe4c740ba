// Level sizes in device memory: the host that launches the kernel does not know them. A block reads
// and checks them before anything else, or each of its warps by itself before it reads a value.
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

/// What a lane has loaded: int64 (height, width) of the level of its number, or of the last one.
/// The second words are the upper halves.
struct LoadedShape {
  ptx::Word<8> height, width;
};
template <class Problem>
__device__ __forceinline__ LoadedShape load_shape(const Arguments& arguments) {
  const int own = min(static_cast<int>(simt::lane()), Problem::kLevels - 1);
  const auto* shape = reinterpret_cast<const ptx::Word<8>*>(arguments.views.sizes.shapes) + 2 * own;
  return {ptx::ldg(shape), ptx::ldg(shape + 1)};
}

/// Stored pixels of the level, borders included; 0 if it is none of an image of `pixels`.
template <class Problem>
__device__ __forceinline__ unsigned pixels_of(const LoadedShape& shape, unsigned pixels) {
  constexpr unsigned kBorder = Problem::kBordered ? 2 : 0;
  const unsigned most = min(pixels, static_cast<unsigned>(Problem::kClass.most));
  const unsigned height = shape.height.x;
  const unsigned width = shape.width.x;
  // A size of 0 becomes a large number.
  const bool fits = (shape.height.y | shape.width.y) == 0 && height - 1 < most && width - 1 < most;
  const unsigned long long area =
      static_cast<unsigned long long>(height + kBorder) * (width + kBorder);
  return fits && area <= pixels ? static_cast<unsigned>(area) : 0;
}

/// Called by all lanes of a warp with what they have loaded. Leaves the sizes in the warp's table
/// and returns true, or levels of one pixel and false if they are no pyramid of the value tensor's
/// pixels.
template <class Problem>
__device__ __forceinline__ bool settle_levels(const Arguments& arguments,
                                              const LoadedShape& shape) {
  const auto pixels = static_cast<unsigned>(arguments.views.sizes.pixels);
  const int lane = static_cast<int>(simt::lane());
  const unsigned own = pixels_of<Problem>(shape, pixels);
  bool fits = true;
  unsigned own_start = 0;
  unsigned start = 0;
#pragma unroll
  for (int l = 0; l < Problem::kLevels; ++l) {
    const unsigned count = simt::shfl_sync(own, l);
    if (l == lane) own_start = start;
    // The sum of two numbers below 2^31; one that is too large ends the count.
    if (fits) start += count;
    fits = fits && count != 0 && start <= pixels;
  }
  fits = fits && start == pixels;
  if (lane < Problem::kLevels) {
    const LevelAt at = {static_cast<int>(shape.width.x), static_cast<int>(shape.height.x),
                        static_cast<int>(own_start)};
    WarpSizes::table().level[lane] = fits ? at : LevelAt{1, 1, 0};
  }
  simt::syncwarp();
  return fits;
}

/// The sizes of a warp that reads them by itself: loaded when this is made, and used by settle(),
/// so that what is loaded in between waits for memory together with them. Empty for other kernels.
template <class K>
class SizesOfWarp {
 public:
  __device__ explicit SizesOfWarp(const Arguments& arguments)
      : arguments_(arguments), shape_(load_shape<typename K::Problem>(arguments)) {}

  /// Called by all lanes of the warp before they ask K::Sizes; returns whether the sizes are a
  /// pyramid of the value tensor's pixels.
  __device__ bool settle() {
    if (!settled_) {
      settled_ = true;
      fits_ = settle_levels<typename K::Problem>(arguments_, shape_);
    }
    return fits_;
  }

 private:
  const Arguments& arguments_;
  LoadedShape shape_;
  bool settled_ = false;
  bool fits_ = false;
};
template <class K>
requires(!K::kStructure.by_warp) class SizesOfWarp<K> {
 public:
  __device__ explicit SizesOfWarp(const Arguments&) {}
};

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
