// The dense weights of 16 rows on the pixels of a box, built in shared memory by one warp and read
// back as fragments of matrix products.
//
// The box is cut into patches of 4x4 pixels: a patch is the 16 columns of one product. Any order of
// these columns is right if weights and values agree on it. Here the pixel at (dx, dy) of a patch
// is column 2 dx + dy % 2 + 8 (dy / 2), so that lane 4 g + t of a product needs column dx = t of
// the patch: four pixels of one column, and the four lanes of a g together read whole rows of four
// neighbouring pixels.
#pragma once

#include <msda/ptx/matrix.cuh>
#include <msda/simt/thread.cuh>

namespace msda::tensor_core_attempt {

inline constexpr int kRows = 16;      ///< rows of a product: queries of one warp
inline constexpr int kPatchSide = 4;  ///< pixels
inline constexpr int kPatchPixels = kPatchSide * kPatchSide;

/// The pixels of a level that some points touch, in whole patches.
struct Box {
  int x, y;        ///< left upper pixel
  int columns;     ///< patches in a row; 0 when nothing is touched
  int patches;     ///< in all
  int reciprocal;  ///< 65536 / columns, rounded up

  /// Row of patch `patch` < 65536 / columns.
  __device__ int row(int patch) const { return patch * reciprocal >> 16; }
};

/// The 2x2 pixels that a point reads; all of them exist, as in msda::PixelPair.
struct Point {
  int x, y;     ///< left upper pixel
  float wx[2];  ///< weight of each column
  float wy[2];  ///< weight of each row, times the attention weight; 0 outside the level
};

/// True if a point adds anything. A NaN does.
__device__ __forceinline__ bool adds(const Point& point) {
  return point.wy[0] != 0.0F || point.wy[1] != 0.0F;
}

/// Box of all points of the warp's lanes, on a level of `width` x `height` pixels.
template <int held>
__device__ __forceinline__ Box box_of(const Point (&point)[held], int width, int height) {
  int left = width;
  int top = height;
  int right = -1;
  int bottom = -1;
#pragma unroll(held <= 8 ? held : 1)
  for (int i = 0; i < held; ++i) {
    if (!adds(point[i])) continue;
    left = min(left, point[i].x);
    top = min(top, point[i].y);
    right = max(right, min(point[i].x + 1, width - 1));
    bottom = max(bottom, min(point[i].y + 1, height - 1));
  }
  Box box;
  box.x = simt::reduce_min_sync(left);
  box.y = simt::reduce_min_sync(top);
  right = simt::reduce_max_sync(right);
  bottom = simt::reduce_max_sync(bottom);
  if (right < 0) return {0, 0, 0, 0, 0};
  box.columns = (right - box.x) / kPatchSide + 1;
  box.patches = box.columns * ((bottom - box.y) / kPatchSide + 1);
  box.reciprocal = (65535 + box.columns) / box.columns;
  return box;
}

/// Weights [patch][column / 8][lane][4] in float32, where the lane and the four floats are those of
/// fragment `a` of ptx::mma_m16n8k16(): two of its registers before they are rounded. Between
/// levels all of them are zero.
class Weights {
 public:
  struct Patch {
    float4 quad[2][simt::kWarpLanes];
  };

  /// `count` patches from `first` on are the warp's.
  __device__ Weights(Patch* first, int count)
      : patch_(first), weight_(reinterpret_cast<float*>(first)) {
    for (int p = 0; p < count; ++p) {
      quad(p, 0) = {0.0F, 0.0F, 0.0F, 0.0F};
      quad(p, 1) = {0.0F, 0.0F, 0.0F, 0.0F};
    }
    simt::syncwarp();
  }

  /// Adds the points of all lanes, which lie in `box`; returns the patches that they touch, as
  /// bits. Lanes r and r + 16 each hold half of the points of row r. Of every point one of them
  /// adds the upper two pixels and the other the lower two: the one that owns the rows of pixels of
  /// that parity. So no two lanes write to one address, and sums have a fixed order.
  template <int held>
  __device__ unsigned add(const Point (&point)[held], const Box& box) {
    const int parity = static_cast<int>(simt::lane()) / kRows;
    unsigned touched = 0;
#pragma unroll(held <= 8 ? held : 1)
    for (int i = 0; i < held; ++i) {
      const int x = point[i].x - box.x;
      const int y = point[i].y - box.y;
      const bool keeps_lower = ((y ^ parity) & 1) != 0;
      const float kept = keeps_lower ? point[i].wy[1] : point[i].wy[0];
      const float sent = keeps_lower ? point[i].wy[0] : point[i].wy[1];
      const int kept_y = y + (keeps_lower ? 1 : 0);
      const int sent_y = y + (keeps_lower ? 0 : 1);
      touched |= add_two(x, kept_y, point[i].wx[0] * kept, point[i].wx[1] * kept, box);
      const int other_x = simt::shfl_xor_sync(x, kRows);
      const int other_y = simt::shfl_xor_sync(sent_y, kRows);
      const float other_left = simt::shfl_xor_sync(point[i].wx[0] * sent, kRows);
      const float other_right = simt::shfl_xor_sync(point[i].wx[1] * sent, kRows);
      touched |= add_two(other_x, other_y, other_left, other_right, box);
    }
    simt::syncwarp();
    return simt::reduce_or_sync(touched);
  }

  /// The weights of a patch as fragment `a`, each rounded once; clears them. Each lane reads and
  /// clears what no other lane does.
  template <class T>
  __device__ void take(int patch, unsigned (&a)[4]) {
    const float4 first = quad(patch, 0);
    const float4 second = quad(patch, 1);
    quad(patch, 0) = {0.0F, 0.0F, 0.0F, 0.0F};
    quad(patch, 1) = {0.0F, 0.0F, 0.0F, 0.0F};
    a[0] = ptx::pack<T>(first.x, first.y);
    a[1] = ptx::pack<T>(first.z, first.w);
    a[2] = ptx::pack<T>(second.x, second.y);
    a[3] = ptx::pack<T>(second.z, second.w);
  }

 private:
  __device__ float4& quad(int patch, int half) { return patch_[patch].quad[half][simt::lane()]; }

  struct Cell {
    unsigned patch;
    unsigned at;  ///< in weight_
  };
  /// The weight of this lane's row on pixel (x, y) of the box.
  __device__ static Cell cell(unsigned x, unsigned y, const Box& box) {
    const unsigned row = simt::lane() % kRows;
    const unsigned dy = y % kPatchSide;
    const unsigned patch = y / kPatchSide * box.columns + x / kPatchSide;
    const unsigned reader = row % 8 * 4 + x % kPatchSide;  // lane 4 g + t
    const unsigned in_quad = row / 8 * 2 + dy % 2;
    return {patch, ((patch * 2 + dy / 2) * simt::kWarpLanes + reader) * 4 + in_quad};
  }

  /// Adds to the pixels (x, y) and (x + 1, y) of the box in this lane's row. A pixel of weight 0
  /// may lie outside.
  __device__ unsigned add_two(int x, int y, float left, float right, const Box& box) {
    const Cell left_cell = cell(x, y, box);
    const Cell right_cell = cell(x + 1, y, box);
    const bool adds_left = left != 0.0F;
    const bool adds_right = right != 0.0F;
    // Both are read before either is written: the compiler cannot know that addresses differ.
    if (adds_left) left += weight_[left_cell.at];
    if (adds_right) right += weight_[right_cell.at];
    if (adds_left) weight_[left_cell.at] = left;
    if (adds_right) weight_[right_cell.at] = right;
    return (adds_left ? 1U << left_cell.patch : 0U) | (adds_right ? 1U << right_cell.patch : 0U);
  }

  Patch* patch_;
  float* weight_;  ///< the same memory
};

}  // namespace msda::tensor_core_attempt
