// Loops over channels: as the plain ones, and the same bits whatever the machine is.
#include "operators/backward/channels.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace msda::backward {
namespace {

constexpr std::int64_t kMost = 41;  ///< channels: every rest of a division by the widths

class ChannelsTest : public testing::Test {
 protected:
  ChannelsTest() {
    std::mt19937 generator(1);
    std::normal_distribution<double> normal;
    for (std::int64_t c = 0; c < kMost; ++c) {
      gradient_.push_back(static_cast<float>(normal(generator)));
      wide_.push_back(static_cast<double>(gradient_.back()));
      sum_.push_back(normal(generator));
      for (std::vector<float>& pixel : pixels_) {
        pixel.push_back(static_cast<float>(normal(generator)));
      }
    }
  }

  std::vector<float> gradient_;
  std::vector<double> wide_;  ///< the gradient
  std::vector<double> sum_;
  std::array<std::vector<float>, 4> pixels_;
};

TEST_F(ChannelsTest, DotsAreThoseOfPlainLoopsForAnyNumberOfChannels) {
  for (std::int64_t channels = 1; channels <= kMost; ++channels) {
    const std::array<const float*, 4> pixels = {pixels_[0].data(), nullptr, pixels_[2].data(),
                                                pixels_[3].data()};
    const PixelDots dots = dots_of(wide_.data(), pixels, channels);
    for (std::size_t k = 0; k < pixels.size(); ++k) {
      double sum = 0;
      double squares = 0;
      for (std::size_t c = 0; c < static_cast<std::size_t>(channels) && k != 1; ++c) {
        const double product = wide_[c] * static_cast<double>(pixels_[k][c]);
        sum += product;
        squares += product * product;
      }
      EXPECT_NEAR(dots.sum[k], sum, 1e-13) << channels << " " << k;
      EXPECT_NEAR(dots.squares[k], squares, 1e-13) << channels << " " << k;
    }
    EXPECT_EQ(sums_of(wide_.data(), pixels, channels).sum, dots.sum);
  }
}

TEST_F(ChannelsTest, SumsGrowExactlyAndTheirMeanSquaresFollow) {
  for (std::int64_t channels = 1; channels <= kMost; ++channels) {
    std::vector<double> sum = sum_;
    std::vector<double> only = sum_;
    const double square = add_scaled(0.7, gradient_.data(), channels, sum.data());
    add_only(0.7, gradient_.data(), channels, only.data());
    double expected = 0;
    for (std::size_t c = 0; c < sum.size(); ++c) {
      const bool is_in = static_cast<std::int64_t>(c) < channels;
      EXPECT_EQ(sum[c], is_in ? sum_[c] + 0.7 * wide_[c] : sum_[c]) << channels << " " << c;
      if (is_in) expected += sum[c] * sum[c] / static_cast<double>(channels);
    }
    EXPECT_EQ(only, sum);
    EXPECT_NEAR(square, expected, 1e-13) << channels;
    EXPECT_EQ(take_mean_square(channels, sum.data()), square) << channels;
    for (std::size_t c = 0; c < sum.size(); ++c) {
      EXPECT_EQ(sum[c], static_cast<std::int64_t>(c) < channels ? 0 : sum_[c]) << channels;
    }
  }
}

/// Known for good: a machine with other bits would have other references in its cache.
TEST_F(ChannelsTest, SumsAreOfEveryEighthChannelFirst) {
  const std::array<const float*, 4> pixels = {pixels_[0].data(), nullptr, nullptr, nullptr};
  std::array<double, 8> lanes{};
  for (std::size_t c = 0; c < 32; ++c) {
    lanes[c % 8] += wide_[c] * static_cast<double>(pixels_[0][c]);
  }
  const double expected = ((lanes[0] + lanes[2]) + (lanes[4] + lanes[6])) +
                          ((lanes[1] + lanes[3]) + (lanes[5] + lanes[7]));
  EXPECT_EQ(dots_of(wide_.data(), pixels, 32).sum[0], expected);
}

}  // namespace
}  // namespace msda::backward
