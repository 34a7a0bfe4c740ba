#include "reference/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "operators/forward/forward.hpp"
#include "operators/operator.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// One image, one head, one channel, one level; one query with one point.
struct OnePoint {
  Level level;
  std::vector<float> pixels;
  float x = 0.5F;  ///< in units of the image
  float y = 0.5F;
  float weight = 1;
};

double sample(const OnePoint& point) {
  Input input({}, forward::kTensors);
  input.problem.channels = 1;
  input.problem.points = 1;
  input.problem.levels = {point.level};
  input.at("value") = make_tensor(DType::kFloat32, point.pixels);
  input.at("locations") = make_tensor(DType::kFloat32, {point.x, point.y});
  input.at("weights") = make_tensor(DType::kFloat32, {point.weight});
  return forward::compute_reference(input).at(0);
}

TEST(CopyReference, RowsAreThePixelsAgainAndAgain) {
  Input input({}, forward::kTensors);
  input.problem.batch = 2;
  input.problem.queries = 3;
  input.problem.channels = 1;
  input.problem.points = 1;
  input.problem.levels = {{1, 2}};
  input.at("value") = make_tensor(DType::kFloat16, {1, 2, 3, 4});
  input.problem.types.value = DType::kFloat16;
  EXPECT_EQ(find_operator("copy").reference(input, 0).front(),
            (std::vector<double>{1, 2, 1, 3, 4, 3}));
}

TEST(Reference, OnePixelAtItsCentreIsThePixel) {
  EXPECT_EQ(sample({{1, 1}, {3}}), 3.0);
  EXPECT_EQ(sample({{1, 1}, {3}, 0.5F, 0.5F, 0.25F}), 0.75);
}

TEST(Reference, OnePixelFadesToZeroOutside) {
  EXPECT_EQ(sample({{1, 1}, {4}, 0.0F, 0.5F}), 2.0);  // on its left edge: half a pixel from zero
  EXPECT_EQ(sample({{1, 1}, {4}, 0.0F, 0.0F}), 1.0);  // on its corner
  EXPECT_EQ(sample({{1, 1}, {4}, 1.0F, 1.0F}), 1.0);
  EXPECT_EQ(sample({{1, 1}, {4}, 1.25F, 0.5F}), 1.0);  // x = 0.75
}

TEST(Reference, TwoPixelsInARowBlend) {
  const std::vector<float> pixels = {10, 20};
  EXPECT_EQ(sample({{1, 2}, pixels, 0.25F, 0.5F}), 10.0);
  EXPECT_EQ(sample({{1, 2}, pixels, 0.75F, 0.5F}), 20.0);
  EXPECT_EQ(sample({{1, 2}, pixels, 0.5F, 0.5F}), 15.0);
  EXPECT_EQ(sample({{1, 2}, pixels, 0.375F, 0.5F}), 12.5);  // x = 0.25
  EXPECT_EQ(sample({{1, 2}, pixels, 0.0F, 0.5F}), 5.0);     // half of pixel 0, half of nothing
}

TEST(Reference, TwoPixelsInAColumnBlend) {
  const std::vector<float> pixels = {10, 20};
  EXPECT_EQ(sample({{2, 1}, pixels, 0.5F, 0.25F}), 10.0);
  EXPECT_EQ(sample({{2, 1}, pixels, 0.5F, 0.375F}), 12.5);
  EXPECT_EQ(sample({{2, 1}, pixels, 0.5F, 1.0F}), 10.0);  // half of pixel 1, half of nothing
}

TEST(Reference, PointsOnTheLimitCountNoMore) {
  EXPECT_EQ(sample({{1, 1}, {4}, -0.5F, 0.5F}), 0.0);  // x = -1
  EXPECT_EQ(sample({{1, 1}, {4}, 1.5F, 0.5F}), 0.0);   // x = W
  EXPECT_EQ(sample({{1, 1}, {4}, 0.5F, -0.5F}), 0.0);
  EXPECT_EQ(sample({{1, 1}, {4}, 0.5F, 1.5F}), 0.0);
  EXPECT_GT(sample({{1, 1}, {4}, std::nextafter(-0.5F, 0.0F), 0.5F}), 0.0);
  EXPECT_GT(sample({{1, 1}, {4}, std::nextafter(1.5F, 0.0F), 0.5F}), 0.0);
}

TEST(Reference, PointsFarOutsideAndNotFiniteOnesContributeNothing) {
  for (const float x : {-3.0F, 7.0F, 1e30F, -1e30F, std::numeric_limits<float>::max(), kInfinity,
                        -kInfinity, kNan}) {
    EXPECT_EQ(sample({{1, 2}, {1, 2}, x, 0.5F}), 0.0) << x;
    EXPECT_EQ(sample({{1, 2}, {1, 2}, 0.5F, x}), 0.0) << x;
  }
}

TEST(Reference, SumsPointsAndLevelsWithTheirWeights) {
  Input input({}, forward::kTensors);
  input.problem.channels = 2;
  input.problem.points = 2;
  input.problem.levels = {{1, 2}, {1, 1}};
  input.at("value") = make_tensor(DType::kFloat32, {1, 10, 2, 20, 4, 40});
  // Level 0: both pixels exactly; level 1: the pixel, and one point that is not a number.
  input.at("locations") =
      make_tensor(DType::kFloat32, {0.25F, 0.5F, 0.75F, 0.5F, 0.5F, 0.5F, kNan, 0.5F});
  input.at("weights") = make_tensor(DType::kFloat32, {0.5F, 0.25F, 0.125F, 0.125F});
  EXPECT_EQ(forward::compute_reference(input), (std::vector<double>{1.5, 15}));
}

/// The operator as problem.hpp writes it, element by element, as slowly as it gets.
double formula(const Input& input, std::int64_t b, std::int64_t q, std::int64_t h, std::int64_t c) {
  const Problem& p = input.problem;
  const std::int64_t border = p.layout == ValueLayout::kZeroBorder ? 1 : 0;
  double sum = 0;
  for (std::int64_t l = 0; l < p.level_count(); ++l) {
    const Level& level = p.levels[static_cast<std::size_t>(l)];
    for (std::int64_t i = 0; i < p.points; ++i) {
      const std::int64_t at =
          (((b * p.queries + q) * p.heads + h) * p.level_count() + l) * p.points + i;
      const auto location = [&](std::int64_t k) {
        return load_element(p.types.location, input.at("locations").data(), 2 * at + k);
      };
      const double x = location(0) * static_cast<double>(level.width) - 0.5;
      const double y = location(1) * static_cast<double>(level.height) - 0.5;
      for (std::int64_t row = 0; row < level.height; ++row) {
        for (std::int64_t column = 0; column < level.width; ++column) {
          const double near_x = std::max(0.0, 1 - std::abs(x - static_cast<double>(column)));
          const double near_y = std::max(0.0, 1 - std::abs(y - static_cast<double>(row)));
          const std::int64_t pixel =
              b * p.spatial_size() + p.level_starts()[static_cast<std::size_t>(l)] +
              (row + border) * p.level_pitch(static_cast<std::size_t>(l)) + column + border;
          sum += load_element(p.types.weight, input.at("weights").data(), at) * near_x * near_y *
                 load_element(p.types.value, input.at("value").data(),
                              (pixel * p.heads + h) * p.channels + c);
        }
      }
    }
  }
  return sum;
}

TEST(Reference, AgreesWithTheFormulaForAllTypesAndLayouts) {
  for (const DType type : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    for (const ValueLayout layout : {ValueLayout::kPlain, ValueLayout::kZeroBorder}) {
      Problem p = small_problem();
      p.types = Types::all(type);
      p.layout = layout;
      Generation generation;
      generation.distribution = Distribution::kOutside;
      const Input input = generate(p, generation);
      const std::vector<double> reference = forward::compute_reference(input);
      std::size_t i = 0;
      for (std::int64_t b = 0; b < p.batch; ++b) {
        for (std::int64_t q = 0; q < p.queries; ++q) {
          for (std::int64_t h = 0; h < p.heads; ++h) {
            for (std::int64_t c = 0; c < p.channels; ++c) {
              ASSERT_NEAR(reference[i++], formula(input, b, q, h, c), 1e-13);
            }
          }
        }
      }
    }
  }
}

TEST(Reference, ABorderChangesNothing) {
  Problem problem = small_problem();
  Generation generation;
  generation.distribution = Distribution::kBorder;
  const std::vector<double> plain = forward::compute_reference(generate(problem, generation));
  problem.layout = ValueLayout::kZeroBorder;
  EXPECT_EQ(forward::compute_reference(generate(problem, generation)), plain);
}

TEST(Reference, SameBitsForAnyNumberOfThreads) {
  Problem problem = small_problem();
  problem.queries = 500;
  problem.types.value = DType::kFloat16;
  const Input input = generate(problem, {});
  const std::vector<double> one = forward::compute_reference(input, 1);
  EXPECT_EQ(forward::compute_reference(input, 2), one);
  EXPECT_EQ(forward::compute_reference(input, 5), one);
}

TEST(Reference, IsTheSumOfTheSharesOfAllWeights) {
  Problem problem = small_problem();
  problem.types.value = DType::kFloat16;
  problem.layout = ValueLayout::kZeroBorder;
  Generation generation;
  generation.distribution = Distribution::kBorder;
  const Input input = generate(problem, generation);
  const std::vector<double> output = forward::compute_reference(input);
  std::vector<double> sums;
  for (std::int64_t query = 0; query < problem.batch * problem.queries; ++query) {
    std::vector<double> sum(static_cast<std::size_t>(problem.heads * problem.channels));
    for (std::int64_t weight = 0; weight < problem.heads * problem.row_points(); ++weight) {
      const std::vector<double> share = forward::share_of_weight(input, query, weight);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += share[i];
    }
    sums.insert(sums.end(), sum.begin(), sum.end());
  }
  ASSERT_EQ(sums.size(), output.size());
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(sums[i], output[i], 1e-9) << i;
}

TEST(Reference, AgreesWithTheIndependentOutputOfTheCapturedTensors) {
  const Input input =
      read_npy_directory(MSDA_SOURCE_DIR "/experiments/inputs/captured_decoder", forward::kTensors);
  ASSERT_TRUE(input.expected[forward::kOutput].empty() == false);
  const Comparison comparison =
      compare(rows_of(input.problem, forward::kTensors[forward::kOutput]),
              make_tensor(DType::kFloat32, input.expected[forward::kOutput]),
              forward::compute_reference(input));
  EXPECT_LT(comparison.relative_l2, 1e-6);
}

}  // namespace
}  // namespace msda
