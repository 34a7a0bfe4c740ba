// From a sampling location to pixels: the arithmetic of the operator's definition in problem.hpp.
#pragma once

#include <msda/ptx/arithmetic.cuh>

namespace msda {

/// One sampling point: its location and attention weight as stored, in float32.
struct Point {
  float x, y;  ///< location, 0 .. 1 inside the image
  float weight;
};

/// Pixel coordinate location * size - 0.5 relative to pixel `pixel`, an integer. There is one
/// rounding: on a large level the fraction keeps the bits that the integer part would take.
__device__ __forceinline__ float pixels_from(float pixel, float location, int size) {
  return fmaf(location, static_cast<float>(size), -0.5F - pixel);
}

/// The two neighbouring stored pixels of an axis that a point reads. Both exist: at the edge of a
/// level the pair moves inside and the weights follow, so that reads need neither tests nor clamped
/// addresses. (On a level of size 1 the second pixel repeats the first one with weight 0.)
struct PixelPair {
  int first;        ///< -1 .. size-1 in bordered storage, 0 .. max(size-2, 0) otherwise
  float weight[2];  ///< 1 - distance from the point to the pixel, at least 0
};

/// The pixel of an axis at or before `x`, clamped to lowest .. highest; any of these for NaN.
template <int largest>
__device__ __forceinline__ ptx::Floor pixel_before(float x, int lowest, int highest) {
  if constexpr (largest <= ptx::kFastFloorLimit) {
    return ptx::fast_floor(
        fminf(fmaxf(x, static_cast<float>(lowest)), static_cast<float>(highest)));
  } else {
    const int pixel = max(lowest, min(__float2int_rd(x), highest));
    return {pixel, static_cast<float>(pixel)};
  }
}

/// The pixel pair of a location on an axis of `size` pixels, which lies in smallest .. largest.
/// `pixels_from(pixel, location, size)` is the coordinate relative to a pixel. A location that is
/// outside or NaN has weight 0 on every stored pixel except the border's, whose value is 0.
template <bool bordered, int smallest, int largest, class PixelsFrom>
__device__ __forceinline__ PixelPair pixel_pair(float location, int size,
                                                const PixelsFrom& pixels_from) {
  constexpr int kLowest = bordered ? -1 : 0;
  const int highest = bordered ? size - 1 : max(size - 2, 0);
  const ptx::Floor first =
      pixel_before<largest>(pixels_from(0.0F, location, size), kLowest, highest);
  const float distance = pixels_from(first.value, location, size);
  PixelPair pair;
  pair.first = first.integer;
  pair.weight[0] = __saturatef(1.0F - fabsf(distance));
  pair.weight[1] = __saturatef(1.0F - fabsf(distance - 1.0F));
  if (smallest == 1 && !bordered && size == 1) pair.weight[1] = 0.0F;
  return pair;
}

}  // namespace msda
