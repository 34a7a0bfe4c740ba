// The operator `fused-backward`: its reference by hand and against central differences of the
// definition of `fused`, its inputs, and what its bounds call wrong.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fused_gradients.hpp"
#include "operators/operator.hpp"
#include "reference/compare.hpp"

namespace msda {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// One query and head; the level is 1x4 pixels of 0, 1, 4, 9; the gradient of the output is 1.
Input line_of_pixels(std::int64_t points, const std::vector<float>& references,
                     const std::vector<float>& offsets, const std::vector<float>& logits,
                     const References& kind = {}) {
  Problem problem = make_problem({.channels = 1, .points = points, .levels = {{1, 4}}});
  problem.references = kind;
  Input input(problem, fused_backward::kTensors);
  input.at("value") = make_tensor(DType::kFloat32, {0, 1, 4, 9});
  input.at("reference_points") = make_tensor(DType::kFloat32, references);
  input.at("offsets") = make_tensor(DType::kFloat32, offsets);
  input.at("logits") = make_tensor(DType::kFloat32, logits);
  input.at("grad_output") = make_tensor(DType::kFloat32, {1});
  return input;
}

TEST(FusedBackwardReference, OfOnePointItsOffsetIsInPixels) {
  // Pixel 2.25, between 4 and 9; the only row is followed by zeros.
  const FusedGradients g = fused_gradients_of(line_of_pixels(1, {0.5, 0.5}, {0.75, 0}, {7}));
  EXPECT_THAT(g.value, ElementsAre(0, 0, 0.75, 0.25));
  EXPECT_THAT(g.offsets, ElementsAre(5, -5.25));
  EXPECT_THAT(g.references, ElementsAre(4 * 5, -5.25));
  EXPECT_THAT(g.logits, ElementsAre(0));  // a weight of 1, whatever the logit is
}

TEST(FusedBackwardReference, OfABoxOffsetsAreInPartsOfIt) {
  const FusedGradients g = fused_gradients_of(
      line_of_pixels(1, {0.5, 0.5, 0.25, 0.5}, {1.5, 0}, {7}, {.coordinates = 4, .anchors = 0}));
  // 1.5 * 0.25 * 4 / 2 = 0.75 pixels: the same point. The box's width moves it by 3 pixels for 1.
  EXPECT_THAT(g.offsets, ElementsAre(5 * 0.5, -5.25 * 0.25));
  EXPECT_THAT(g.references, ElementsAre(4 * 5, -5.25, 5 * 3, 0));
}

TEST(FusedBackwardReference, OfPointsWithScalesOffsetsAreInTheirParts) {
  // The same point twice, whose offset of 1 moves by 0.25 * 4 / 2 pixels times the scale.
  const FusedGradients g = fused_gradients_of(
      line_of_pixels(2, {0.5, 0.5, 0.25, 0.5}, {3, 0, 1.5, 0}, {7, 7},
                     {.coordinates = 4, .anchors = 1, .scale = 0.5, .point_scales = {0.5, 1}}));
  EXPECT_THAT(g.offsets,
              ElementsAre(5 * 0.25 / 2, -5.25 * 0.125 / 2, 5 * 0.5 / 2, -5.25 * 0.25 / 2));
  EXPECT_THAT(g.references, ElementsAre(4 * 5, -5.25, 5 * 3, 0));
}

TEST(FusedBackwardReference, OfLogitsIsThatOfTheSoftmax) {
  // Weights 1/4 and 3/4 at pixels 1 and 2, whose values are 1 and 4: 3.25 together.
  const FusedGradients g =
      fused_gradients_of(line_of_pixels(2, {0.5, 0.5}, {-0.5, 0, 0.5, 0}, {0, std::log(3.0F)}));
  EXPECT_THAT(g.logits, ElementsAre(DoubleNear(0.25 * (1 - 3.25), 1e-7),
                                    DoubleNear(0.75 * (4 - 3.25), 1e-7)));
}

TEST(FusedBackwardReference, PointsThatDoNotCountHaveTheGradientOfTheirLogitAlone) {
  for (const float wrong : {kNan, kInfinity, -kInfinity, 1e30F}) {
    const FusedGradients g = fused_gradients_of(
        line_of_pixels(2, {0.5, 0.5, 0.25, 0.5}, {wrong, 0, 0, 0}, {0, 0}, {4, 0}));
    EXPECT_EQ(g.offsets[0], 0) << wrong;
    EXPECT_EQ(g.offsets[1], 0) << wrong;
    EXPECT_THAT(g.logits, ElementsAre(0.5 * (0 - 1.25), 0.5 * (2.5 - 1.25))) << wrong;
    EXPECT_THAT(g.references, ElementsAre(0.5 * 4 * 3, -0.5 * 2.5, 0, 0)) << wrong;
  }
}

/// As autograd of PyTorch's softmax and grid_sample leaves them.
TEST(FusedBackwardReference, ARowOfMinusInfinityHasNoGradientsThatAreNumbers) {
  const Input input = line_of_pixels(2, {0.5, 0.5}, {-0.5, 0, 9, 0}, {-kInfinity, -kInfinity});
  const FusedGradients g = fused_gradients_of(input);
  EXPECT_THAT(g.logits, Each(testing::IsNan()));
  EXPECT_THAT(g.offsets, ElementsAre(testing::IsNan(), testing::IsNan(), 0, 0));  // one is outside
  EXPECT_THAT(g.references, Each(testing::IsNan()));
  EXPECT_THAT(g.value, ElementsAre(0, testing::IsNan(), testing::IsNan(), 0));
}

TEST(FusedBackwardReference, ALogitOfMinusInfinityHasNoGradient) {
  const FusedGradients g =
      fused_gradients_of(line_of_pixels(2, {0.5, 0.5}, {-0.5, 0, 0.5, 0}, {3, -kInfinity}));
  EXPECT_THAT(g.logits, Each(0.0));
  EXPECT_THAT(g.value, ElementsAre(0, 1, 0, 0));
}

TEST(FusedBackwardReference, OfPaddingPixelsCountAsZeroAndHaveNoGradient) {
  Input input = line_of_pixels(1, {0.5, 0.5}, {0.75, 0}, {7});  // between 4 and 9
  input.problem.padding = true;
  input.at("padding_mask") = {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{1}};
  const FusedGradients g = fused_gradients_of(input);
  EXPECT_THAT(g.value, ElementsAre(0, 0, 0.75, 0));
  EXPECT_THAT(g.offsets, ElementsAre(-4, -3));
  EXPECT_THAT(g.references, ElementsAre(4 * -4, -3));
}

TEST(FusedBackwardReference, OfAPaddedImageARowWithoutWeightsLeavesPaddingZero) {
  Input input = line_of_pixels(1, {0.5, 0.5}, {0.75, 0}, {-kInfinity});
  input.problem.padding = true;
  input.at("padding_mask") = {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{1}};
  EXPECT_THAT(fused_gradients_of(input).value, ElementsAre(0, 0, testing::IsNan(), 0));
}

/// The loss sum(grad_output * fused) in double, of the tensors value, offsets, logits and
/// reference_points. `mask`: empty, or flags of padded pixels.
double loss(const Problem& p, const std::vector<double>* tensors, const std::vector<double>& g,
            const Bytes& mask) {
  const auto& [value, offsets, logits, references] =
      std::tie(tensors[0], tensors[1], tensors[2], tensors[3]);
  const std::vector<std::int64_t> starts = p.level_starts();
  const std::int64_t of_row = p.row_points();
  const std::int64_t coordinates = p.references.coordinates;
  const auto at = [](const std::vector<double>& tensor, std::int64_t i) {
    return tensor[static_cast<std::size_t>(i)];
  };
  double sum = 0;
  for (std::int64_t row = 0; row < p.batch * p.queries * p.heads; ++row) {
    double powers = 0;
    for (std::int64_t i = 0; i < of_row; ++i) powers += std::exp(at(logits, row * of_row + i));
    for (std::int64_t i = 0; i < of_row; ++i) {
      const std::size_t l = p.level_of(i);
      const Level& level = p.levels[l];
      const double size[] = {double(level.width), double(level.height)};
      const std::int64_t reference =
          (row / p.heads * p.reference_count() +
           fused::reference_of(p, static_cast<std::int64_t>(l), i - p.first_point(l))) *
          coordinates;
      double place[2];
      for (std::int64_t axis = 0; axis < 2; ++axis) {
        const double offset = at(offsets, 2 * (row * of_row + i) + axis);
        const double moved = coordinates == 2 ? offset / size[axis]
                                              : offset / double(p.points_of(l)) *
                                                    at(references, reference + 2 + axis) * 0.5;
        place[axis] = (at(references, reference + axis) + moved) * size[axis] - 0.5;
      }
      const double weight = std::exp(at(logits, row * of_row + i)) / powers;
      for (std::int64_t pixel = 0; pixel < level.height * level.width; ++pixel) {
        const double near = std::max(0.0, 1 - std::abs(place[0] - double(pixel % level.width))) *
                            std::max(0.0, 1 - std::abs(place[1] - double(pixel / level.width)));
        const std::int64_t of_all =
            row / p.heads / p.queries * p.spatial_size() + starts[l] + pixel;
        const bool padded = !mask.empty() && mask[std::size_t(of_all)] != std::byte{0};
        if (near == 0 || padded) continue;
        const std::int64_t first = (of_all * p.heads + row % p.heads) * p.channels;
        for (std::int64_t c = 0; c < p.channels; ++c) {
          sum += at(g, row * p.channels + c) * weight * near * at(value, first + c);
        }
      }
    }
  }
  return sum;
}

Problem differentiated_problem() {
  return make_problem({.batch = 2,
                       .queries = 2,
                       .heads = 2,
                       .channels = 2,
                       .points = 4,
                       .levels = {{4, 5}, {2, 3}, {1, 1}}});
}

class FusedBackwardKinds : public testing::TestWithParam<References> {};

void expect_central_differences(const Input& input) {
  const Bytes& mask = input.at("padding_mask");
  const Problem& p = input.problem;
  const FusedGradients g = fused_gradients_of(input);
  const std::vector<double> gradient = doubles_of(input, "grad_output");
  const char* const names[] = {"value", "offsets", "logits", "reference_points"};
  std::vector<double> tensors[4];
  for (std::size_t t = 0; t < 4; ++t) tensors[t] = doubles_of(input, names[t]);
  const std::vector<double>* const found[] = {&g.value, &g.offsets, &g.logits, &g.references};
  for (std::size_t t = 0; t < 4; ++t) {
    const double step = 1e-5;
    ASSERT_EQ(found[t]->size(), tensors[t].size());
    for (std::size_t i = 0; i < tensors[t].size(); ++i) {
      const double own = tensors[t][i];
      tensors[t][i] = own + step;
      const double after = loss(p, tensors, gradient, mask);
      tensors[t][i] = own - step;
      const double before = loss(p, tensors, gradient, mask);
      tensors[t][i] = own;
      ASSERT_NEAR((*found[t])[i], (after - before) / (2 * step), 1e-7) << names[t] << " " << i;
    }
  }
}

TEST_P(FusedBackwardKinds, AgreeWithCentralDifferencesOfTheDefinition) {
  expect_central_differences(
      make_fused_gradient_input(differentiated_problem(), GetParam(), Distribution::kUniform, 3));
}

TEST_P(FusedBackwardKinds, AgreeWithThemOfPaddedImagesAndLevelsOfDifferentPoints) {
  Problem shape = differentiated_problem();
  shape.padding = true;
  shape.level_points = GetParam().anchors == 4 ? std::vector<std::int64_t>{4, 8, 4}
                                               : std::vector<std::int64_t>{3, 1, 2};
  shape.points = std::ranges::max(shape.level_points);
  const Input input = make_fused_gradient_input(shape, GetParam(), Distribution::kUniform, 3);
  const Bytes& mask = input.at("padding_mask");
  ASSERT_GT(std::ranges::count(mask, std::byte{1}), 4);
  expect_central_differences(input);
}

TEST_P(FusedBackwardKinds, InputsKeepOffKnotsInEveryType) {
  for (const DType type : {DType::kFloat32, DType::kFloat16}) {
    Problem problem = in_type(type, small_problem());
    problem.points = 4;
    problem.queries = 60;
    const Input input = make_fused_gradient_input(problem, GetParam(), Distribution::kLocal);
    const backward::Operands operands = fused_backward::operands_of(input);
    backward::PointList row(problem.level_count() * problem.points);
    for (std::int64_t r = 0; r < problem.batch * problem.queries * problem.heads; ++r) {
      operands.read(r, 0, row);
      for (std::size_t i = 0; i < row.x.size(); ++i) {
        const Level& level = problem.levels[i / static_cast<std::size_t>(problem.points)];
        const auto keeps_off = [](double at, std::int64_t size) {
          const bool matters = at > -1.5 && at < static_cast<double>(size) + 0.5;
          return !matters || std::abs(at - std::nearbyint(at)) >= 1.0 / 64 - 1e-6;
        };
        EXPECT_TRUE(keeps_off(row.x[i], level.width)) << row.x[i];
        EXPECT_TRUE(keeps_off(row.y[i], level.height)) << row.y[i];
      }
    }
  }
}

TEST_P(FusedBackwardKinds, SurviveTheirFilesAndAnyNumberOfThreads) {
  const TemporaryDirectory directory;
  Problem problem = in_type(DType::kFloat16, small_problem());
  problem.points = 4;
  problem.level_points = {4, 4, 4};
  problem.padding = true;
  const Input input = make_fused_gradient_input(problem, GetParam(), Distribution::kLocal);
  write_directory(input, directory.path() / "input", FileFormat::kNpy);
  const Input read = read_npy_directory(directory.path() / "input", fused_backward::kTensors);
  EXPECT_EQ(content_hash(read), content_hash(input));
  EXPECT_EQ(fused_backward::compute_reference(read, 1),
            fused_backward::compute_reference(input, 3));
}

TEST_P(FusedBackwardKinds, AnyOutputMayBeLeftOut) {
  Problem problem = small_problem();
  problem.points = 4;
  Input input = make_fused_gradient_input(problem, GetParam(), Distribution::kLocal);
  const auto all = fused_backward::compute_reference(input);
  const std::vector<std::size_t> outputs = find_operator("fused-backward").outputs();
  for (unsigned asked = 1; asked < 16; ++asked) {
    input.problem.unasked = 0;
    std::vector<std::vector<double>> wanted;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      if ((asked >> o & 1U) != 0) {
        wanted.push_back(all[o]);
      } else {
        input.problem.unasked |= 1U << outputs[o];
      }
    }
    const auto some = fused_backward::compute_reference(input);
    EXPECT_EQ(some, wanted) << asked;
    EXPECT_EQ(fused_backward::make_truths(input, some).size(), wanted.size());
  }
}

INSTANTIATE_TEST_SUITE_P(References, FusedBackwardKinds, testing::ValuesIn(kinds_of_references()),
                         [](const auto& info) { return name_of_kind(info.param); });

/// What is wrong with an output that is the reference, changed and rounded to its type; "" if
/// nothing.
template <class Change>
std::string fault(const Input& input, std::size_t output, const Change& change) {
  const auto truths = fused_backward::make_truths(input, fused_backward::compute_reference(input));
  const Truth& truth = truths.at(output);
  std::vector<float> numbers(truth.output.begin(), truth.output.end());
  change(numbers);
  const Arithmetic arithmetic = find_operator("fused-backward").borrows()->arithmetic;
  const Bounds bounds(arithmetic, truth);
  const Comparison c =
      compare(truth.shape, make_tensor(truth.shape.type, numbers), truth.output, &bounds);
  if (!(c.relative_l2 <= bounds.relative_l2())) return "relative L2";
  if (!(c.row_excess <= 1)) return "row";
  return c.element_excess <= 1 ? "" : "element";
}

class FusedBackwardBounds : public testing::TestWithParam<DType> {
 protected:
  static Input input(const References& references) {
    Problem problem = in_type(GetParam(), make_problem({.queries = 100,
                                                        .heads = 2,
                                                        .channels = 8,
                                                        .points = 4,
                                                        .levels = {{17, 23}, {9, 12}, {3, 3}}}));
    return make_fused_gradient_input(problem, references, Distribution::kLocal);
  }
};

TEST_P(FusedBackwardBounds, ARoundedReferenceIsRight) {
  for (const References& references : kinds_of_references()) {
    for (std::size_t output = 0; output < 4; ++output) {
      EXPECT_EQ(fault(input(references), output, [](std::vector<float>&) {}), "") << output;
    }
  }
}

TEST_P(FusedBackwardBounds, AnElementThatIsOffByATwentiethOfItsRowIsWrong) {
  for (std::size_t output = 1; output < 4; ++output) {
    EXPECT_NE(fault(input({4, 0}), output,
                    [](std::vector<float>& numbers) {
                      const auto largest = std::ranges::max_element(
                          numbers, {}, [](float x) { return std::abs(x); });
                      *largest *= 1.05F;
                    }),
              "")
        << output;
  }
}

TEST_P(FusedBackwardBounds, AGradientOfLogitsWithoutTheSumOfItsRowIsWrong) {
  const Input own = input({2, 0});
  const backward::Operands operands = fused_backward::operands_of(own);
  const auto points = backward::compute_gradients(operands, {false, false, true}, 0);
  const std::string found = fault(own, 2, [&](std::vector<float>& numbers) {
    backward::PointList row(12);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      operands.read(static_cast<std::int64_t>(i / 12), 0, row);
      numbers[i] = static_cast<float>(row.weights[i % 12] * points.weights[i]);
    }
  });
  EXPECT_NE(found, "");
}

TEST_P(FusedBackwardBounds, AGradientOfAPixelOfPaddingIsWrong) {
  Problem problem = input({2, 0}).problem;
  problem.padding = true;
  const Input own = make_fused_gradient_input(problem, {2, 0}, Distribution::kLocal);
  const Bytes& mask = own.at("padding_mask");
  const auto pixel = static_cast<std::size_t>(std::ranges::find(mask, std::byte{1}) - mask.begin());
  ASSERT_LT(pixel, mask.size());
  EXPECT_EQ(fault(own, 0, [](std::vector<float>&) {}), "");
  EXPECT_NE(
      fault(own, 0, [&](std::vector<float>& numbers) { numbers[pixel * 2 * 8 + 3] = 0.001F; }), "");
}

INSTANTIATE_TEST_SUITE_P(Types, FusedBackwardBounds,
                         testing::Values(DType::kFloat32, DType::kFloat16, DType::kBFloat16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// A sum over points has a jump for each of those beside a knot, and nobody knows which are taken.
TEST(FusedBackwardKnots, OfASumOfPointsAnyPartOfTheJumpsIsRight) {
  // Two points close before pixel 2, of 4 levels of value: left of it the slope is 3, right of
  // it 5.
  const Input input = line_of_pixels(2, {0.5, 0.5}, {0.4999999F, 0, 0.4999999F, 0}, {0, 0});
  const auto right = [&](float gradient) {
    return fault(input, 3, [&](std::vector<float>& numbers) { numbers[0] = gradient; });
  };
  EXPECT_EQ(right(4 * 3), "");
  EXPECT_EQ(right(4 * 4), "");
  EXPECT_EQ(right(4 * 5), "");
  EXPECT_NE(right(4 * 5.5F), "");
  EXPECT_NE(right(4 * 2.5F), "");
}

}  // namespace
}  // namespace msda
