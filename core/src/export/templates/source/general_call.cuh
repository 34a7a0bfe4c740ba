// --- The general kernels ------------------------------------------------------------------------
// For sizes that no kernel above was composed for, and for the CPU. Coordinates, weights and sums
// are fp32 whatever the tensors' types; memory is addressed in 64 bits. A row is one output vector
// (image, query, head).

namespace msda::general {
namespace {

constexpr int kMostLevels = 16;

/// `Int` holds the numbers of all pixels of an image.
template <class Int>
struct LevelOf {
  Int height, width;
  Int start;  ///< its first pixel in value, which is one of the border where there is one

  /// In this order nothing overflows: each factor is at most `pixels`.
  __host__ __device__ bool lies_in(int64_t border, int64_t pixels) const {
    return height >= 0 && width >= 0 && start >= 0 && start <= pixels && height <= pixels &&
           width <= pixels &&
           (height + 2 * border) * (width + 2 * border) <= pixels - start;
  }
};
using Level = LevelOf<int64_t>;

/// Sizes as arguments of the launch, or in the memory of the device, where the host does not know
/// them.
struct Levels {
  Level given[kMostLevels];
  const int64_t* shapes;  ///< [L, 2]; null: given
  const int64_t* starts;  ///< [L]; null: levels lie one after another

  /// In an image of `pixels` with `border` pixels around each level. A level behind one that does
  /// not lie in the image has no start in it either.
  __host__ __device__ Level at(int64_t level, int64_t border, int64_t pixels) const {
    if (shapes == nullptr) return given[level];
    const int64_t height = shapes[2 * level];
    const int64_t width = shapes[2 * level + 1];
    if (starts != nullptr) return {height, width, starts[level]};
    int64_t start = 0;
    for (int64_t l = 0; l < level; ++l) {
      const Level before = {shapes[2 * l], shapes[2 * l + 1], start};
      if (!before.lies_in(border, pixels)) return {height, width, -1};
      start += (before.height + 2 * border) * (before.width + 2 * border);
    }
    return {height, width, start};
  }
};

/// One call of the operator. Tensors as msda_problem has them.
struct Call {
  const void* value;
  const void* locations;
  const void* weights;
  void* output;
  int64_t batch, pixels, heads, channels, level_count, queries;
  int64_t points;  ///< of a level; 0: levels differ
  int64_t border;  ///< pixels around each level: 0 or 1
  int64_t first[kMostLevels + 1];  ///< taps before each level, where they differ; last those of all
  Levels levels;

  __host__ __device__ int64_t taps() const { return first_tap(level_count); }  ///< of a row
  __host__ __device__ int64_t first_tap(int64_t level) const {
    return points != 0 ? level * points : first[level];
  }
  __host__ __device__ int64_t level_of(int64_t tap) const {
    if (points != 0) return tap / points;
    int64_t level = 0;
    while (level + 1 < level_count && tap >= first[level + 1]) ++level;
    return level;
  }
  __host__ __device__ int64_t rows() const { return batch * queries * heads; }
  __host__ __device__ Level level(int64_t number) const {
    return levels.at(number, border, pixels);
  }
};

__host__ __device__ float to_float(float x) { return x; }
__host__ __device__ float to_float(__half x) { return __half2float(x); }
__host__ __device__ float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
__host__ __device__ void store(float* to, float x) { *to = x; }
__host__ __device__ void store(__half* to, float x) { *to = __float2half_rn(x); }
__host__ __device__ void store(__nv_bfloat16* to, float x) { *to = __float2bfloat16_rn(x); }

/// Neighbouring channels of one pixel.
template <class Value, int kChannels>
struct alignas(kChannels * sizeof(Value)) Pixel {
  Value channel[kChannels];
};

/// The four pixels around a point, of which some may lie outside of its level.
template <class Int>
struct CellOf {
  Int row = 0, column = 0;  ///< of the top left one
  float x = 0, y = 0;       ///< from there to the point, 0..1
  bool has_top = false, has_left = false, has_bottom = false, has_right = false;
  bool counts = false;     ///< false: the point lies outside of its level
  bool misplaced = false;  ///< the level does not lie in value, and nothing may be read
};
using Cell = CellOf<int64_t>;

/// Of a point at (u, v) in 0..1 of its level, which lies in value or has no pixels.
template <class Int>
__host__ __device__ CellOf<Int> cell_in(const LevelOf<Int>& level, float u, float v) {
  CellOf<Int> cell;
  const auto w = static_cast<float>(level.width);
  const auto h = static_cast<float>(level.height);
  const float x = fmaf(u, w, -0.5F);
  const float y = fmaf(v, h, -0.5F);
  // Also false for what is no number, and in a level without pixels.
  if (!(x > -1.0F && y > -1.0F && x < w && y < h)) return cell;
  if (level.height == 0 || level.width == 0) return cell;
  const float top = floorf(y);
  const float left = floorf(x);
  // Once more from the location: what x has lost of its digits is a part of a fraction.
  cell.y = fmaf(v, h, -0.5F - top);
  cell.x = fmaf(u, w, -0.5F - left);
  cell.row = static_cast<Int>(top);
  cell.column = static_cast<Int>(left);
  cell.has_top = cell.row >= 0;
  cell.has_left = cell.column >= 0;
  cell.has_bottom = cell.row + 1 < level.height;
  cell.has_right = cell.column + 1 < level.width;
  cell.counts = true;
  return cell;
}

/// The same of any level; `pixels` are those of an image in value.
__host__ __device__ Cell make_cell(const Level& level, int64_t border, int64_t pixels, float u,
                                   float v) {
  if (level.lies_in(border, pixels)) return cell_in(level, u, v);
  Cell cell;
  cell.misplaced = true;
  return cell;
}

/// What a point reads: four pixels of which each lies in its level. One that would lie outside is
/// its neighbour instead, at weight zero.
template <class Int>
struct TapOf {
  Int pixel = 0;         ///< of the image: top left
  Int pitch = 0;         ///< pixels to the row below
  float weight[4] = {};  ///< top left, top right, bottom left, bottom right
  bool right = false;    ///< the pixels on the right are others than those on the left
  bool below = false;    ///< those below are others than those above
  bool reads = false;    ///< false: the point lies outside of its level
};

template <class Int>
__host__ __device__ TapOf<Int> tap_of(const CellOf<Int>& cell, const LevelOf<Int>& level,
                                      Int border, float weight) {
  TapOf<Int> tap;
  tap.pitch = level.width + 2 * border;
  if (!cell.counts) return tap;
  const float fx = cell.x;
  const float fy = cell.y;
  tap.weight[0] = cell.has_top && cell.has_left ? weight * ((1.0F - fy) * (1.0F - fx)) : 0.0F;
  tap.weight[1] = cell.has_top && cell.has_right ? weight * ((1.0F - fy) * fx) : 0.0F;
  tap.weight[2] = cell.has_bottom && cell.has_left ? weight * (fy * (1.0F - fx)) : 0.0F;
  tap.weight[3] = cell.has_bottom && cell.has_right ? weight * (fy * fx) : 0.0F;
  tap.pixel = level.start + ((cell.has_top ? cell.row : 0) + border) * tap.pitch +
              (cell.has_left ? cell.column : 0) + border;
  tap.right = cell.has_left && cell.has_right;
  tap.below = cell.has_top && cell.has_bottom;
  tap.reads = true;
  return tap;
}

}  // namespace
}  // namespace msda::general
