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

/// Where a point lies on one axis.
struct Axis {
  int first;       ///< pixel at or before the point, -1 .. size-1; 0 when it does not count
  float fraction;  ///< from there to the point, 0 .. 1
  bool counts;     ///< -1 < coordinate < size; false for a NaN, as every comparison with it is
};

/// Pixel coordinate location * size - 0.5, split. The fraction is computed from the product anew,
/// with one rounding, so that it does not lose the bits that the whole part takes on a large level.
__device__ __forceinline__ Axis axis(float location, int size) {
  const float extent = static_cast<float>(size);
  const float coordinate = fmaf(location, extent, -0.5F);
  const bool counts = coordinate > -1.0F && coordinate < extent;
  const float first = counts ? floorf(coordinate) : 0.0F;
  return {static_cast<int>(first), counts ? fmaf(location, extent, -0.5F - first) : 0.0F, counts};
}

/// The footprint of a point with attention weight `attention`; weight 0 when it does not count.
template <bool kBordered>
__device__ __forceinline__ Footprint footprint(const Axis& x, const Axis& y, float attention,
                                               int width, int height) {
  Footprint f;
  if constexpr (kBordered) {
    f = {x.first, y.first, {1.0F - x.fraction, x.fraction}, {1.0F - y.fraction, y.fraction}};
  } else {
    f.x = anchor(x.first, x.fraction, width, f.wx);
    f.y = anchor(y.first, y.fraction, height, f.wy);
  }
  const float weight = x.counts && y.counts ? attention : 0.0F;
  f.wy[0] *= weight;
  f.wy[1] *= weight;
  return f;
}

}  // namespace msda
