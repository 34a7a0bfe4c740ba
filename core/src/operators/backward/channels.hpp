// Loops over the channels of a row: most of a verification's time is spent here. They are as wide
// as the machine allows and give the same bits on every machine, because what is added to what does
// not depend on the width and nothing is fused.
#pragma once

#include <array>
#include <cstdint>

namespace msda::backward {

/// Of a gradient with the values of four pixels, by pixel.
struct PixelDots {
  std::array<double, 4> sum{};      ///< over the channels of value * gradient
  std::array<double, 4> squares{};  ///< of the squares of the products
};

/// All have `channels` elements. A null pointer is a pixel outside its level, which is zero.
PixelDots dots_of(const double* gradient, const std::array<const float*, 4>& pixels,
                  std::int64_t channels);
/// The same without the squares, which stay zero.
PixelDots sums_of(const double* gradient, const std::array<const float*, 4>& pixels,
                  std::int64_t channels);

/// Adds factor * gradient to `sum`, [channels]. The mean square of the new sum.
double add_scaled(double factor, const float* gradient, std::int64_t channels, double* sum);
/// The same where nobody asks for the mean square.
void add_only(double factor, const float* gradient, std::int64_t channels, double* sum);
/// The mean square of `sum`, which is zero afterwards.
double take_mean_square(std::int64_t channels, double* sum);

}  // namespace msda::backward
