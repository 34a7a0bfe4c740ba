// From a sampling location to pixels: the arithmetic of the operator's definition in problem.hpp.
#pragma once

namespace msda {

/// The 2x2 pixels around a sampling point. `weight` is the attention weight, 0 when the point does
/// not count; then the pixel is (0, 0), so that what follows needs no branch.
struct Footprint {
  int x, y;      ///< left upper corner, -1 .. size-1
  float fx, fy;  ///< fractions, 0 .. 1
  float weight;
};

/// A point counts when -1 < x < width and -1 < y < height; every comparison with a NaN is false.
__device__ __forceinline__ Footprint footprint(float location_x, float location_y, float weight,
                                               int width, int height) {
  const float x = fmaf(location_x, static_cast<float>(width), -0.5F);
  const float y = fmaf(location_y, static_cast<float>(height), -0.5F);
  const bool counts =
      x > -1.0F && x < static_cast<float>(width) && y > -1.0F && y < static_cast<float>(height);
  const float left = counts ? floorf(x) : 0.0F;
  const float top = counts ? floorf(y) : 0.0F;
  return {static_cast<int>(left), static_cast<int>(top), counts ? x - left : 0.0F,
          counts ? y - top : 0.0F, counts ? weight : 0.0F};
}

/// One corner of a footprint.
struct Corner {
  int x, y;
  float weight;
};

/// The corner at column `right` and row `below` (each 0 or 1). With `kBordered` storage every
/// corner of a point that counts exists; otherwise one outside the level gets weight 0 and the
/// nearest pixel.
template <bool kBordered>
__device__ __forceinline__ Corner corner(const Footprint& f, int right, int below, int width,
                                         int height) {
  const float wx = right != 0 ? f.fx : 1.0F - f.fx;
  const float wy = below != 0 ? f.fy : 1.0F - f.fy;
  Corner c{f.x + right, f.y + below, wx * wy * f.weight};
  if constexpr (!kBordered) {
    const bool inside = c.x >= 0 && c.x < width && c.y >= 0 && c.y < height;
    c.weight = inside ? c.weight : 0.0F;
    c.x = min(max(c.x, 0), width - 1);
    c.y = min(max(c.y, 0), height - 1);
  }
  return c;
}

}  // namespace msda
