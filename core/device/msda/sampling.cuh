// From a sampling location to pixels: the arithmetic of the operator's definition in problem.hpp.
#pragma once

#include <msda/ptx/arithmetic.cuh>

namespace msda {

/// One sampling point as stored, in float32.
struct Point {
  float x, y;  ///< location, 0 .. 1 inside the image
  float weight;
};

/// Pixel coordinate location * size - 0.5, counted from pixel `pixel`, a whole number. One
/// rounding: a fraction does not lose the bits that the whole part takes on a large level.
__device__ __forceinline__ float pixels_from(float pixel, float location, int size) {
  return fmaf(location, static_cast<float>(size), -0.5F - pixel);
}

/// The two neighbouring stored pixels of an axis that a point reads. Both exist: at the edge of a
/// level the pair moves inside, and the weights follow, so that what comes after needs neither
/// tests nor clamped addresses. (On a level of size 1 the second repeats the first, with weight 0.)
struct PixelPair {
  int first;        ///< -1 .. size-1 in bordered storage, 0 .. max(size-2, 0) otherwise
  float weight[2];  ///< 1 - distance from the point to the pixel, or 0 where they are further apart
};

/// The pixel of an axis that lies at or before `x`, or the nearest one of lowest .. highest; where
/// `x` is no number, one of them.
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

/// The pair for a location, whose coordinate `pixels_from(pixel, location, size)` counts, on an
/// axis whose `size` is `smallest` to `largest`. A location outside, or one that is no number, has
/// weights 0 on every stored pixel but a border's, which is zero.
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
