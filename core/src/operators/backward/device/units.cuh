// Sums of whole numbers: a bound of what meets in a pixel fixes their unit, so that these never
// overflow.
#pragma once

namespace msda::backward {

/// Bounds of what is added to a pixel: of the sum, and of one point.
struct Mass {
  float sum;
  float largest;
};

/// A comparison that is false for NaN would lose it.
__device__ __forceinline__ float larger(float a, float b) { return !(a <= b) ? a : b; }
/// The same for magnitudes, whose bits are in the order of the numbers, NaN being the largest.
__device__ __forceinline__ float larger_magnitude(float magnitude, float number) {
  return __int_as_float(max(__float_as_int(magnitude), __float_as_int(fabsf(number))));
}

/// Units of 1 for sums of at most `mass.sum`, and with `clips` contributions of at most 2^22 units.
/// Whole numbers keep clear of their limit by 2%: contributions and masses are rounded. At most
/// 2^96 units, so that a gradient in units is finite, too: less than 2^-97 counts as 0.
template <bool clips>
__device__ __forceinline__ float unit_of(const Mass& mass) {
  constexpr float kMargin = 0.98F;
  if (mass.sum == 0.0F) return 1.0F;
  const float of_sum = kMargin * 2147483648.0F / mass.sum;
  const float of_one = kMargin * 4194304.0F / mass.largest;
  constexpr float kMost = 0x1p96F;
  const float scale = fminf(clips && of_one < of_sum ? of_one : of_sum, kMost);
  // What is no finite number leaves no finite sum, instead of a wrong one.
  return mass.sum <= 3.0e38F ? scale : __int_as_float(0x7fffffff);
}

/// weight * gradient, which is in units, rounded to nearest. Additions to a large number, which
/// leave contributions in its low bits, are the faster way to round, but clip at 2^22 units.
template <bool converts>
__device__ __forceinline__ int whole(float weight, float gradient) {
  if constexpr (converts) return __float2int_rn(weight * gradient);
  constexpr float kOffset = 12582912.0F;  // 1.5 * 2^23: the sum's low bits are the number
  return __float_as_int(fmaf(weight, gradient, kOffset)) - __float_as_int(kOffset);
}

}  // namespace msda::backward
