// The operator `fused`: by hand, and against `forward` on the locations and weights that a model
// would have made.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operators/forward/forward.hpp"
#include "operators/fused/fused.hpp"
#include "operators/operator.hpp"
#include "reference/compare.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<double> reference_of(const Input& input, unsigned threads = 0) {
  return find_operator("fused").reference(input, threads).front();
}

/// One query and head; the level is 1x4 pixels of 0, 1, 2, 3, so that a point's value is its x.
Input line_of_pixels(std::int64_t points, const std::vector<float>& references,
                     const std::vector<float>& offsets, const std::vector<float>& logits,
                     References kind = {}) {
  Problem problem = make_problem({.channels = 1, .points = points, .levels = {{1, 4}}});
  problem.references = kind;
  Input input(problem, fused::kTensors);
  input.at("value") = make_tensor(DType::kFloat32, {0, 1, 2, 3});
  input.at("reference_points") = make_tensor(DType::kFloat32, references);
  input.at("offsets") = make_tensor(DType::kFloat32, offsets);
  input.at("logits") = make_tensor(DType::kFloat32, logits);
  return input;
}

TEST(FusedReference, AnOffsetIsInPixelsOfTheLevel) {
  EXPECT_THAT(reference_of(line_of_pixels(1, {0.5, 0.5}, {0.75, 0}, {7})), ElementsAre(2.25));
}

TEST(FusedReference, AnOffsetFromABoxIsInHalvesOfItForAllPoints) {
  // 0.5 * 4 - 0.5 is pixel 1.5; an offset of 1 moves by 0.25 * 4 / 2 for one point.
  const Input one =
      line_of_pixels(1, {0.5, 0.5, 0.25, 0.5}, {1, 0}, {7}, {.coordinates = 4, .anchors = 0});
  EXPECT_THAT(reference_of(one), ElementsAre(2));
  const Input two = line_of_pixels(2, {0.5, 0.5, 0.25, 0.5}, {1, 0, -1, 0}, {0, std::log(3.0F)},
                                   {.coordinates = 4, .anchors = 0});
  EXPECT_THAT(reference_of(two), ElementsAre(DoubleNear(0.25 * 1.75 + 0.75 * 1.25, 1e-7)));
}

TEST(FusedReference, PointsTakeAnchorsInTurn) {
  const float kEqual = 0;
  const Input input =
      line_of_pixels(4, {0.125, 0.5, 0.625, 0.5}, {0, 0, 0, 0, 1, 0, 1, 0},
                     {kEqual, kEqual, kEqual, kEqual}, {.coordinates = 2, .anchors = 2});
  EXPECT_THAT(reference_of(input), ElementsAre((0.0 + 2 + 1 + 3) / 4));
}

TEST(FusedReference, AMaskedPixelCountsAsZero) {
  Input input = line_of_pixels(1, {0.5, 0.5}, {0.75, 0}, {7});  // 0.75 of pixel 2, 0.25 of pixel 3
  input.problem.padding = true;
  Bytes& mask = input.at("padding_mask");
  mask = {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{1}};
  EXPECT_THAT(reference_of(input), ElementsAre(1.5));
  mask = {std::byte{0}, std::byte{0}, std::byte{1}, std::byte{0}};
  EXPECT_THAT(reference_of(input), ElementsAre(0.75));
  mask = Bytes(4, std::byte{1});
  EXPECT_THAT(reference_of(input), ElementsAre(0));
  const Truth truth = find_operator("fused").judge_by(input, {{0.0}}, 0).front();
  EXPECT_EQ(truth.rows.front().terms, 0) << "nothing is rounded";
}

TEST(FusedReference, ARowOfNoNumbersIsNoneWhereAllPixelsAreMasked) {
  Input input = line_of_pixels(1, {0.5, 0.5}, {0, 0}, {-kInfinity});
  input.problem.padding = true;
  input.at("padding_mask") = Bytes(4, std::byte{1});
  EXPECT_TRUE(std::isnan(reference_of(input).front()));
}

/// Two levels of 1x4 pixels, 0 to 3 and 10 to 13, with one point and with three.
Input points_by_level(References kind, const std::vector<float>& references,
                      const std::vector<float>& offsets, const std::vector<float>& logits) {
  Problem problem = make_problem({.channels = 1, .points = 3, .levels = {{1, 4}, {1, 4}}});
  problem.level_points = {1, 3};
  problem.references = kind;
  Input input(problem, fused::kTensors);
  input.at("value") = make_tensor(DType::kFloat32, {0, 1, 2, 3, 10, 11, 12, 13});
  input.at("reference_points") = make_tensor(DType::kFloat32, references);
  input.at("offsets") = make_tensor(DType::kFloat32, offsets);
  input.at("logits") = make_tensor(DType::kFloat32, logits);
  return input;
}

TEST(FusedReference, LevelsMayDifferInTheirPoints) {
  // The references are pixels 1.5 and 0.5 of the levels.
  const Input input =
      points_by_level({}, {0.5, 0.5, 0.25, 0.5}, {1, 0, 0, 0, 1, 0, 2, 0}, {0, 0, 0, 0});
  EXPECT_THAT(reference_of(input), ElementsAre((2.5 + 10.5 + 11.5 + 12.5) / 4));
}

TEST(FusedReference, AnOffsetFromABoxIsDividedByThePointsOfItsLevel) {
  // A box of the whole width: an offset of 1 moves by 0.25 * 4 pixels over the level's points.
  const Input input = points_by_level({.coordinates = 4, .anchors = 1, .scale = 0.25},
                                      {0.5, 0.5, 1, 1}, {1, 0, 3, 0, 3, 0, 3, 0}, {0, 0, 0, 0});
  EXPECT_THAT(reference_of(input), ElementsAre(DoubleNear((2.5 + 3 * 12.5) / 4, 1e-7)));
}

TEST(FusedReference, PointsMayHaveScalesOfTheirOwn) {
  // A box of the whole width: an offset of 1 moves by 0.5 * 4 pixels times the point's scale.
  const Input input = points_by_level(
      {.coordinates = 4, .anchors = 1, .scale = 0.5, .point_scales = {0.5, 0.25, 0.125, 1}},
      {0.5, 0.5, 1, 1}, {1, 0, 1, 0, 2, 0, -0.5F, 0}, {0, 0, 0, 0});
  EXPECT_THAT(reference_of(input), ElementsAre((2.5 + 12 + 12 + 10.5) / 4));
}

TEST(FusedReference, TheLargestLogitMayBeAnyNumber) {
  for (const float largest : {-1e38F, -90.0F, 0.0F, 90.0F, 1e38F}) {
    const Input input =
        line_of_pixels(2, {0.5, 0.5}, {-0.5, 0, 0.5, 0}, {largest, -std::abs(largest) * 2 - 300});
    EXPECT_THAT(reference_of(input), ElementsAre(1)) << largest;
  }
}

/// All that counts of the row has a weight of exp(-50), whose exponent is rounded at 50.
TEST(FusedReference, ASmallWeightIsRoundedMoreThanALargeOne) {
  const Operator& op = find_operator("fused");
  for (const float below : {0.0F, 50.0F}) {
    const Input input = line_of_pixels(2, {0.5, 0.5}, {99, 0, 0.5, 0}, {0, -below});
    const std::vector<Truth> truths = op.judge_by(input, op.reference(input, 0), 0);
    const RowSensitivity& row = truths.front().rows.front();
    EXPECT_NEAR(row.terms / row.output, 1 + below * below / 24, 0.1) << below;
  }
}

/// The largest weight over exp(-744.4) is more than a double holds.
TEST(FusedReference, ADenormalWeightHasAFiniteBound) {
  const Operator& op = find_operator("fused");
  const Input input = line_of_pixels(2, {0.5, 0.5}, {-0.5, 0, 0.5, 0}, {0, -744.4F});
  const std::vector<Truth> truths = op.judge_by(input, op.reference(input, 0), 0);
  EXPECT_TRUE(std::isfinite(truths.front().rows.front().terms));
}

TEST(FusedReference, ALogitOfMinusInfinityHasNoWeight) {
  EXPECT_THAT(reference_of(line_of_pixels(2, {0.5, 0.5}, {-0.5, 0, 0.5, 0}, {3, -kInfinity})),
              ElementsAre(1));
}

TEST(FusedReference, ARowOfMinusInfinityIsNoNumberAsInPyTorch) {
  const Input input = line_of_pixels(2, {0.5, 0.5}, {-0.5, 0, 0.5, 0}, {-kInfinity, -kInfinity});
  EXPECT_TRUE(std::isnan(reference_of(input).front()));
  const Operator& op = find_operator("fused");
  const std::vector<Truth> truths = op.judge_by(input, op.reference(input, 0), 0);
  const auto is_wrong = [&](float output) {
    return std::isnan(
        compare(truths.front().shape, make_tensor(DType::kFloat32, {output}), truths.front().output)
            .relative_l2);
  };
  EXPECT_TRUE(is_wrong(1.0F));
  EXPECT_FALSE(is_wrong(kNan));
}

TEST(FusedReference, ReferencesAndOffsetsThatAreNoNumbersCountForNothing) {
  for (const float wrong : {kNan, kInfinity, -kInfinity, 1e30F}) {
    EXPECT_THAT(reference_of(line_of_pixels(1, {wrong, 0.5}, {0, 0}, {0})), ElementsAre(0));
    EXPECT_THAT(reference_of(line_of_pixels(1, {0.5, 0.5}, {0, wrong}, {0})), ElementsAre(0));
  }
}

/// What a model computes in front of the sampling, in float64.
Input front_end(const Input& input) {
  const Problem& problem = input.problem;
  Problem in_fp32 = problem;
  in_fp32.types.location = in_fp32.types.weight = DType::kFloat32;
  Input forward(in_fp32, forward::kTensors);
  forward.at("value") = input.at("value");
  std::vector<float> locations;
  std::vector<float> weights;
  fused::RowPoints points(input);
  for (std::int64_t row = 0; row < problem.batch * problem.queries * problem.heads; ++row) {
    points.load(row);
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      const Level& level = problem.levels[problem.level_of(static_cast<std::int64_t>(i))];
      locations.push_back(static_cast<float>((points.x[i] + 0.5) / double(level.width)));
      locations.push_back(static_cast<float>((points.y[i] + 0.5) / double(level.height)));
      weights.push_back(static_cast<float>(points.weights[i]));
    }
  }
  forward.at("locations") = make_tensor(DType::kFloat32, locations);
  forward.at("weights") = make_tensor(DType::kFloat32, weights);
  return forward;
}

struct Kind {
  References references;
  DType type;
  std::vector<std::int64_t> level_points = {};
};

class FusedKindTest : public testing::TestWithParam<Kind> {
 protected:
  Input input(Distribution distribution = Distribution::kLocal) const {
    Problem problem = in_type(GetParam().type, small_problem());
    problem.references = GetParam().references;
    problem.level_points = GetParam().level_points;
    Generation generation;
    generation.distribution = distribution;
    return fused::generate_input(problem, generation, 0);
  }
};

TEST_P(FusedKindTest, IsTheForwardOfWhatTheFrontEndMakes) {
  const Input fused = input();
  const std::vector<double> whole = reference_of(fused);
  const std::vector<double> parts = forward::compute_reference(front_end(fused));
  ASSERT_EQ(whole.size(), parts.size());
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(whole[i], parts[i], 1e-5) << i;
}

TEST_P(FusedKindTest, PointsLieWhereTheForwardsPointsLie) {
  const Input fused = input(Distribution::kUniform);
  Problem problem = fused.problem;
  problem.types.location = DType::kFloat32;
  const Input forward = generate(problem, Generation{});
  const Input made = front_end(fused);
  for (std::int64_t i = 0; i < elements(problem, forward::kLocations); ++i) {
    const double tolerance = GetParam().type == DType::kFloat32 ? 1e-5 : 0.02;
    EXPECT_NEAR(load_element(DType::kFloat32, made.at("locations").data(), i),
                load_element(DType::kFloat32, forward.at("locations").data(), i), tolerance)
        << i;
  }
}

TEST_P(FusedKindTest, DoesNotDependOnTheNumberOfThreads) {
  EXPECT_EQ(content_hash(input()), content_hash(input()));
  EXPECT_EQ(reference_of(input(), 1), reference_of(input(), 3));
}

INSTANTIATE_TEST_SUITE_P(
    References, FusedKindTest,
    testing::Values(Kind{{2, 0}, DType::kFloat32}, Kind{{2, 1}, DType::kFloat16},
                    Kind{{2, 3}, DType::kFloat32}, Kind{{4, 0}, DType::kFloat32},
                    Kind{{4, 1}, DType::kFloat16}, Kind{{4, 3}, DType::kFloat16},
                    Kind{{2, 0}, DType::kFloat32, {3, 1, 2}},
                    Kind{{4, 1, 0.75}, DType::kFloat16, {1, 3, 2}},
                    Kind{{4, 0, 0.75, {0.5, 0.25, 1, 0.125, 2, 0.75}}, DType::kFloat32, {1, 3, 2}}),
    [](const auto& info) {
      const References& references = info.param.references;
      return "k" + std::to_string(references.coordinates) + "_r" +
             std::to_string(references.anchors) + "_" + std::string(name_of(info.param.type)) +
             (info.param.level_points.empty() ? "" : "_by_level") +
             (references.point_scales.empty() ? "" : "_scaled");
    });

TEST(FusedPoints, AreMadeOfTheirReferenceAndTheirOffset) {
  const auto largest = [](float reference, float offset) {
    const Input input = line_of_pixels(1, {reference, 0.5}, {offset, 0}, {0});
    fused::RowPoints points(input);
    points.load(0);
    return points.largest.front();
  };
  EXPECT_EQ(largest(0.75, -2.5), 3);
  EXPECT_EQ(largest(0.25, 2.5), 2.5);
}

TEST(FusedTraffic, HasNoPixelsOfPaddingAtLeastAndTheMaskOnce) {
  const Operator& op = find_operator("fused");
  Input input = line_of_pixels(1, {0.5, 0.5}, {0.75, 0}, {7});
  const Traffic open = op.traffic(input.problem);
  EXPECT_EQ(open.least_read, (2 + 2 + 1) * 4);
  EXPECT_EQ(open.read, open.least_read + 4 * 4);
  EXPECT_EQ(op.least_traffic(input).read, open.least_read + 2 * 4);
  input.problem.padding = true;
  input.at("padding_mask") = Bytes(4, std::byte{1});
  EXPECT_EQ(op.traffic(input.problem).read, open.read + 4);
  EXPECT_EQ(op.least_traffic(input).read, open.least_read);
  EXPECT_EQ(op.least_traffic(input).gathered, 0);
}

TEST(FusedPolicy, HasTheScaleOfBoxesAndTheNumbersOfReferences) {
  Problem problem = small_problem();
  problem.references = {4, 3, 0.75};
  const std::string text = find_operator("fused").policy_parameters(problem);
  EXPECT_THAT(text, testing::HasSubstr("float scale = 0x1.8p-1F;"));
  EXPECT_THAT(text, testing::HasSubstr("int coordinates = 4;"));
  EXPECT_THAT(text, testing::HasSubstr("int anchors = 3;"));
  EXPECT_THAT(text, testing::HasSubstr("bool padding = false;"));
}

}  // namespace
}  // namespace msda
