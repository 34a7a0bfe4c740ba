// From a sampling location to pixels: the arithmetic of the operator's definition in problem.hpp.
#pragma once

namespace msda {

/// One sampling point as stored, in float32.
struct Sample {
  float x, y;  ///< location, 0 .. 1 inside the image
  float weight;
};

/// The 2x2 stored pixels that a point reads, anchored at the left upper one. All four exist: at the
/// edge of a level the anchor moves inside and the weights move with the pixels, so that what
/// follows needs neither tests nor clamped addresses. (On a level of width 1 the second column
/// repeats the first with weight 0; likewise for height 1.)
struct Footprint {
  int x, y;     ///< anchor; -1 .. size-1 in bordered storage, 0 .. max(size-2, 0) otherwise
  float wx[2];  ///< weight of each column
  float wy[2];  ///< weight of each row, times the attention weight
};

/// Moves the pair of neighbours (first, first + 1) with weights (1 - f, f) into [0, size).
__device__ __forceinline__ int anchor(int first, float f, int size, float (&weight)[2]) {
  const int inside = max(0, min(first, size - 2));
  const int shift = first - inside;  // -1: only the second exists; +1: only the first
  weight[0] = shift == 0 ? 1.0F - f : (shift < 0 ? f : 0.0F);
  weight[1] = shift == 0 ? f : (shift > 0 ? 1.0F - f : 0.0F);
  if (size == 1) {
    weight[0] = first == 0 ? 1.0F - f : f;
    weight[1] = 0.0F;
  }
  return inside;
}

/// A point counts when -1 < x < width and -1 < y < height; every comparison with a NaN is false.
/// One that does not count has weight 0.
template <bool kBordered>
__device__ __forceinline__ Footprint footprint(const Sample& sample, int width, int height) {
  const float x = fmaf(sample.x, static_cast<float>(width), -0.5F);
  const float y = fmaf(sample.y, static_cast<float>(height), -0.5F);
  const bool counts =
      x > -1.0F && x < static_cast<float>(width) && y > -1.0F && y < static_cast<float>(height);
  const float left = counts ? floorf(x) : 0.0F;
  const float top = counts ? floorf(y) : 0.0F;
  const float fx = counts ? x - left : 0.0F;
  const float fy = counts ? y - top : 0.0F;
  const float weight = counts ? sample.weight : 0.0F;
  Footprint f;
  if constexpr (kBordered) {
    f = {static_cast<int>(left), static_cast<int>(top), {1.0F - fx, fx}, {1.0F - fy, fy}};
  } else {
    f.x = anchor(static_cast<int>(left), fx, width, f.wx);
    f.y = anchor(static_cast<int>(top), fy, height, f.wy);
  }
  f.wy[0] *= weight;
  f.wy[1] *= weight;
  return f;
}

}  // namespace msda
