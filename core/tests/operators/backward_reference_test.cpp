// The reference of the gradients: by hand, by the definition of the forward operator in double, and
// against gradients that PyTorch left.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gradients.hpp"
#include "operators/forward/forward.hpp"
#include "operators/operator.hpp"
#include "reference/compare.hpp"

namespace msda {
namespace {

using testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(BackwardReference, OfOnePixelAtItsCentre) {
  const Gradients g = gradients_of(OneGradient{{1, 1}, {3}, 0.5F, 0.5F, 0.25F, 2}.input());
  EXPECT_THAT(g.value, ElementsAre(0.5));             // weight times gradient
  EXPECT_THAT(g.weights, ElementsAre(6));             // value times gradient
  EXPECT_THAT(g.locations, ElementsAre(-1.5, -1.5));  // towards the zeros right of and below it
}

TEST(BackwardReference, OfAPointBetweenTwoPixels) {
  const Gradients g = gradients_of(OneGradient{{1, 2}, {10, 20}, 0.375F, 0.5F, 0.5F, 1}.input());
  EXPECT_THAT(g.value, ElementsAre(0.375, 0.125));  // x = 0.25
  EXPECT_THAT(g.weights, ElementsAre(12.5));
  EXPECT_THAT(g.locations, ElementsAre(0.5 * 2 * 10, 0.5 * 1 * -12.5));
}

TEST(BackwardReference, APointOnAKnotLiesRightOfItAndBelow) {
  const std::vector<float> pixels = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  // Pixel (1, 1) of 3x3: what is right of it, and below, not left and above.
  const Gradients g = gradients_of(OneGradient{{3, 3}, pixels}.input());
  EXPECT_THAT(g.locations, ElementsAre(3 * (32 - 16), 3 * (128 - 16)));
  EXPECT_THAT(g.value, ElementsAre(0, 0, 0, 0, 1, 0, 0, 0, 0));
}

TEST(BackwardReference, PointsOnTheLimitAndBeyondHaveNoGradients) {
  for (const float at :
       {-0.5F, 1.5F, -3.0F, 7.0F, 1e9F, 3e38F, -3.2e38F, kInfinity, -kInfinity, kNan}) {
    for (const bool is_x : {true, false}) {
      const Gradients g =
          gradients_of(OneGradient{{1, 1}, {4}, is_x ? at : 0.5F, is_x ? 0.5F : at}.input());
      EXPECT_THAT(g.value, ElementsAre(0)) << at;
      EXPECT_THAT(g.weights, ElementsAre(0)) << at;
      EXPECT_THAT(g.locations, ElementsAre(0, 0)) << at;
    }
  }
}

/// Four points that count for nothing beside one in the middle.
TEST(BackwardReference, APointThatIsNoNumberLeavesTheOthersAlone) {
  Input input(make_problem({.channels = 1, .points = 5, .levels = {{4, 4}}}), backward::kTensors);
  input.at("value") = make_tensor(DType::kFloat32, std::vector<float>(16, 1.0F));
  input.at("locations") = make_tensor(
      DType::kFloat32, {kNan, 0.5F, kInfinity, 0.5F, -3.2e38F, 3e38F, 1e9F, 0.5F, 0.5F, 0.5F});
  input.at("weights") = make_tensor(DType::kFloat32, std::vector<float>(5, 1.0F));
  input.at("grad_output") = make_tensor(DType::kFloat32, {1.0F});
  const Gradients g = gradients_of(input);
  EXPECT_THAT(g.weights, ElementsAre(0, 0, 0, 0, 1));
  EXPECT_THAT(g.locations, testing::Each(0.0));
  for (std::size_t pixel = 0; pixel < 16; ++pixel) {
    const bool is_central = pixel == 5 || pixel == 6 || pixel == 9 || pixel == 10;
    EXPECT_EQ(g.value[pixel], is_central ? 0.25 : 0.0) << pixel;
  }
}

/// The loss sum(grad_output * forward) in double, as problem.hpp defines the operator. `tensors`
/// are value, locations and weights.
double loss(const Problem& p, const std::vector<double>* tensors, const std::vector<double>& g) {
  const std::int64_t border = p.layout == ValueLayout::kZeroBorder ? 1 : 0;
  const std::vector<std::int64_t> starts = p.level_starts();
  const auto& [value, locations, weights] = std::tie(tensors[0], tensors[1], tensors[2]);
  double sum = 0;
  const std::int64_t per_row = p.level_count() * p.points;
  for (std::int64_t at = 0; at < p.batch * p.queries * p.heads * per_row; ++at) {
    const std::int64_t row = at / per_row;
    const auto l = static_cast<std::size_t>(at % per_row / p.points);
    const double x =
        locations[static_cast<std::size_t>(2 * at)] * static_cast<double>(p.levels[l].width) - 0.5;
    const double y =
        locations[static_cast<std::size_t>(2 * at + 1)] * static_cast<double>(p.levels[l].height) -
        0.5;
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    for (std::int64_t i = 0; i < p.levels[l].height * p.levels[l].width; ++i) {
      const std::int64_t line = i / p.levels[l].width;
      const std::int64_t column = i % p.levels[l].width;
      const double near = std::max(0.0, 1 - std::abs(x - static_cast<double>(column))) *
                          std::max(0.0, 1 - std::abs(y - static_cast<double>(line)));
      if (near == 0) continue;
      const std::int64_t pixel = row / p.heads / p.queries * p.spatial_size() + starts[l] +
                                 (line + border) * p.level_pitch(l) + column + border;
      for (std::int64_t c = 0; c < p.channels; ++c) {
        sum += g[static_cast<std::size_t>(row * p.channels + c)] *
               weights[static_cast<std::size_t>(at)] * near *
               value[static_cast<std::size_t>((pixel * p.heads + row % p.heads) * p.channels + c)];
      }
    }
  }
  return sum;
}

/// Each gradient against the central difference of the loss; the loss is linear in each element but
/// for locations, and there piecewise bilinear, so that differences are exact up to rounding.
void expect_finite_differences(const Input& input) {
  const Problem& p = input.problem;
  const Gradients g = gradients_of(input);
  const std::vector<double> gradient = doubles_of(input, "grad_output");
  std::vector<double> tensors[] = {doubles_of(input, "value"), doubles_of(input, "locations"),
                                   doubles_of(input, "weights")};
  const std::vector<double>* const found[] = {&g.value, &g.locations, &g.weights};
  for (std::size_t t = 0; t < 3; ++t) {
    const double step = t == 1 ? 1e-6 : 0.5;
    ASSERT_EQ(found[t]->size(), tensors[t].size());
    for (std::size_t i = 0; i < tensors[t].size(); ++i) {
      const double own = tensors[t][i];
      tensors[t][i] = own + step;
      const double after = loss(p, tensors, gradient);
      tensors[t][i] = own - step;
      const double before = loss(p, tensors, gradient);
      tensors[t][i] = own;
      ASSERT_NEAR((*found[t])[i], (after - before) / (2 * step), t == 1 ? 1e-7 : 1e-12)
          << backward::kTensors[backward::kGradValue + t].name << " " << i;
    }
  }
}

TEST(BackwardReference, AgreesWithFiniteDifferencesOfTheForward) {
  Problem problem = make_problem({.batch = 2,
                                  .queries = 3,
                                  .heads = 2,
                                  .channels = 3,
                                  .points = 2,
                                  .levels = {{4, 5}, {2, 3}, {1, 1}}});
  expect_finite_differences(make_gradient_input(problem, Distribution::kUniform, 3));
  expect_finite_differences(make_gradient_input(problem, Distribution::kOutside, 4));
  problem.points = 13;
  problem.queries = 1;
  expect_finite_differences(make_gradient_input(problem, Distribution::kLocal, 5));
}

TEST(BackwardReference, AgreesWithFiniteDifferencesInEveryTypeAndLayout) {
  for (const DType type : {DType::kFloat16, DType::kBFloat16}) {
    Problem problem = in_type(
        type,
        make_problem(
            {.queries = 3, .heads = 2, .channels = 2, .points = 2, .levels = {{3, 4}, {2, 2}}}));
    expect_finite_differences(make_gradient_input(problem, Distribution::kOutside));
  }
  Problem bordered = make_problem(
      {.queries = 4, .heads = 2, .channels = 2, .points = 3, .levels = {{3, 4}, {2, 2}}});
  const Input plain = make_gradient_input(bordered, Distribution::kUniform);
  bordered.layout = ValueLayout::kZeroBorder;
  const Input inside = make_gradient_input(bordered, Distribution::kUniform);
  const Gradients g = gradients_of(inside);
  EXPECT_EQ(g.locations, gradients_of(plain).locations);
  EXPECT_EQ(g.weights, gradients_of(plain).weights);
  double sum = 0;  // of the inner pixels, which is all there is: a border's gradient is zero
  double plain_sum = 0;
  for (const double x : g.value) sum += x * x;
  for (const double x : gradients_of(plain).value) plain_sum += x * x;
  EXPECT_NEAR(sum, plain_sum, 1e-12 * plain_sum);
  for (std::size_t i = 0; i < 6 * 2 * 2; ++i)
    EXPECT_EQ(g.value[i], 0) << "in the border's first row";
}

/// The loss is linear in the values and in the weights, so it is the product of either with its
/// gradient.
TEST(BackwardReference, IsAdjointToTheForward) {
  for (const Distribution distribution : {Distribution::kLocal, Distribution::kBorder}) {
    Problem problem = small_problem();
    problem.queries = 200;
    const Input input = make_gradient_input(problem, distribution);
    Input forward(input.problem, forward::kTensors);
    for (const char* name : {"value", "locations", "weights"}) forward.at(name) = input.at(name);
    const std::vector<double> output = forward::compute_reference(forward);
    const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
      double sum = 0;
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
      return sum;
    };
    const double loss = dot(output, doubles_of(input, "grad_output"));
    const Gradients g = gradients_of(input);
    EXPECT_NEAR(dot(g.value, doubles_of(input, "value")), loss, 1e-9 * std::abs(loss));
    EXPECT_NEAR(dot(g.weights, doubles_of(input, "weights")), loss, 1e-9 * std::abs(loss));
  }
}

TEST(BackwardReference, SameBitsForAnyNumberOfThreads) {
  Problem problem = small_problem();
  problem.queries = 300;
  problem.types = Types::all(DType::kFloat16);
  const Input input = make_gradient_input(problem, Distribution::kLocal);
  const auto one = backward::compute_reference(input, 1);
  EXPECT_EQ(backward::compute_reference(input, 2), one);
  EXPECT_EQ(backward::compute_reference(input, 5), one);
}

TEST(BackwardReference, AnOutputThatNobodyAsksForIsLeftOut) {
  Input input = make_gradient_input(small_problem(), Distribution::kUniform);
  const auto all = backward::compute_reference(input);
  input.problem.unasked = 1U << backward::kGradValue;
  const auto points = backward::compute_reference(input);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0], all[1]);
  EXPECT_EQ(points[1], all[2]);
  input.problem.unasked = 1U << backward::kGradLocations | 1U << backward::kGradWeights;
  EXPECT_THAT(backward::compute_reference(input), ElementsAre(all[0]));
}

}  // namespace
}  // namespace msda
