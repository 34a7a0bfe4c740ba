#include "operators/backward/channels.hpp"

#include <cstring>

namespace msda::backward {
namespace {

using Four = double __attribute__((vector_size(32)));
constexpr std::int64_t kFour = 4;

// Vectors are handed on by reference: where a machine has none as wide, they have no place among
// the arguments of a function.
[[gnu::always_inline]] inline void load(const float* from, Four& to) {
  using FourFloats = float __attribute__((vector_size(16)));
  FourFloats floats;
  std::memcpy(&floats, from, sizeof floats);
  to = __builtin_convertvector(floats, Four);
}
[[gnu::always_inline]] inline void load(const double* from, Four& to) {
  std::memcpy(&to, from, sizeof to);
}
/// Of lanes that hold every fourth number each.
[[gnu::always_inline]] inline double sum_of(const Four& lanes) {
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

template <bool kSquares>
[[gnu::always_inline]] inline void dot(const double* gradient, const float* pixel,
                                       std::int64_t channels, double& sum, double& squares) {
  Four sums[2] = {};
  Four of_squares[2] = {};
  std::int64_t c = 0;
  for (; c + 2 * kFour <= channels; c += 2 * kFour) {
    for (std::int64_t half = 0; half < 2; ++half) {
      Four products;
      Four values;
      load(gradient + c + half * kFour, products);
      load(pixel + c + half * kFour, values);
      products *= values;
      sums[half] += products;
      if constexpr (kSquares) of_squares[half] += products * products;
    }
  }
  const auto fold = [](const Four(&lanes)[2]) {
    return ((lanes[0][0] + lanes[0][2]) + (lanes[1][0] + lanes[1][2])) +
           ((lanes[0][1] + lanes[0][3]) + (lanes[1][1] + lanes[1][3]));
  };
  sum = fold(sums);
  squares = fold(of_squares);
  for (; c < channels; ++c) {
    const double product = gradient[c] * static_cast<double>(pixel[c]);
    sum += product;
    if constexpr (kSquares) squares += product * product;
  }
}

template <bool kSquares>
[[gnu::always_inline]] inline void dots(const double* gradient,
                                        const std::array<const float*, 4>& pixels,
                                        std::int64_t channels, PixelDots& to) {
  for (std::size_t k = 0; k < pixels.size(); ++k) {
    if (pixels[k] == nullptr) continue;
    dot<kSquares>(gradient, pixels[k], channels, to.sum[k], to.squares[k]);
  }
}

/// A sum's new numbers, one after the other, and the sum of their squares.
class Squares {
 public:
  [[gnu::always_inline]] void add(const Four& numbers) { lanes_ += numbers * numbers; }
  /// The last ones, fewer than four.
  [[gnu::always_inline]] double with(const double* numbers, std::int64_t count) const {
    Four lanes = lanes_;
    double pair[2] = {lanes[0] + lanes[2], lanes[1] + lanes[3]};
    std::int64_t i = 0;
    for (; i + 2 <= count; i += 2) {
      pair[0] += numbers[i] * numbers[i];
      pair[1] += numbers[i + 1] * numbers[i + 1];
    }
    double sum = pair[0] + pair[1];
    for (; i < count; ++i) sum += numbers[i] * numbers[i];
    return sum;
  }

 private:
  Four lanes_{};
};

template <bool kSquares>
[[gnu::always_inline]] inline double add(double factor, const float* gradient,
                                         std::int64_t channels, double* sum) {
  Squares squares;
  std::int64_t c = 0;
  for (; c + kFour <= channels; c += kFour) {
    Four added;
    Four numbers;
    load(gradient + c, added);
    load(sum + c, numbers);
    numbers += factor * added;
    std::memcpy(sum + c, &numbers, sizeof numbers);
    if constexpr (kSquares) squares.add(numbers);
  }
  for (std::int64_t rest = c; rest < channels; ++rest) {
    sum[rest] += factor * static_cast<double>(gradient[rest]);
  }
  return kSquares ? squares.with(sum + c, channels - c) / static_cast<double>(channels) : 0;
}

[[gnu::always_inline]] inline double take(std::int64_t channels, double* sum) {
  Squares squares;
  std::int64_t c = 0;
  for (; c + kFour <= channels; c += kFour) {
    Four numbers;
    load(sum + c, numbers);
    squares.add(numbers);
  }
  const double all = squares.with(sum + c, channels - c);
  std::memset(sum, 0, static_cast<std::size_t>(channels) * sizeof *sum);
  return all / static_cast<double>(channels);
}

// Without fused multiplication, which would give other bits: AVX2 alone has none.
#if defined(__x86_64__)
#define MSDA_WIDE __attribute__((target("avx2")))
bool is_wide() {
  static const bool kWide = __builtin_cpu_supports("avx2") != 0;
  return kWide;
}
#else
#define MSDA_WIDE
bool is_wide() { return false; }
#endif

template <bool kSquares>
MSDA_WIDE void dots_wide(const double* gradient, const std::array<const float*, 4>& pixels,
                         std::int64_t channels, PixelDots& to) {
  dots<kSquares>(gradient, pixels, channels, to);
}
template <bool kSquares>
MSDA_WIDE double add_wide(double factor, const float* gradient, std::int64_t channels,
                          double* sum) {
  return add<kSquares>(factor, gradient, channels, sum);
}
MSDA_WIDE double take_wide(std::int64_t channels, double* sum) { return take(channels, sum); }

template <bool kSquares>
PixelDots dots_either(const double* gradient, const std::array<const float*, 4>& pixels,
                      std::int64_t channels) {
  PixelDots to;
  if (is_wide()) {
    dots_wide<kSquares>(gradient, pixels, channels, to);
  } else {
    dots<kSquares>(gradient, pixels, channels, to);
  }
  return to;
}

}  // namespace

PixelDots dots_of(const double* gradient, const std::array<const float*, 4>& pixels,
                  std::int64_t channels) {
  return dots_either<true>(gradient, pixels, channels);
}

PixelDots sums_of(const double* gradient, const std::array<const float*, 4>& pixels,
                  std::int64_t channels) {
  return dots_either<false>(gradient, pixels, channels);
}

double add_scaled(double factor, const float* gradient, std::int64_t channels, double* sum) {
  return is_wide() ? add_wide<true>(factor, gradient, channels, sum)
                   : add<true>(factor, gradient, channels, sum);
}

void add_only(double factor, const float* gradient, std::int64_t channels, double* sum) {
  if (is_wide()) {
    add_wide<false>(factor, gradient, channels, sum);
  } else {
    add<false>(factor, gradient, channels, sum);
  }
}

double take_mean_square(std::int64_t channels, double* sum) {
  return is_wide() ? take_wide(channels, sum) : take(channels, sum);
}

}  // namespace msda::backward
