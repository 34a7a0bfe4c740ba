// Generated inputs of the gradients, and those from files.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gradients.hpp"
#include "operators/operator.hpp"

namespace msda {
namespace {

/// How many coordinates of a generated input lie closer to a pixel's centre than a hundredth.
int near_knots(const Problem& problem, Distribution distribution) {
  const std::vector<double> locations =
      doubles_of(make_gradient_input(problem, distribution), "locations");
  int near = 0;
  for (std::size_t i = 0; i < locations.size(); ++i) {
    const Level& level =
        problem.levels[i / 2 / static_cast<std::size_t>(problem.points) % problem.levels.size()];
    const auto size = static_cast<double>(i % 2 == 0 ? level.width : level.height);
    const double at = locations[i] * size - 0.5;
    if (at < -1.5 || at > size + 0.5) continue;  // no pixel is near
    near += std::abs(at - std::nearbyint(at)) < 0.01 ? 1 : 0;
  }
  return near;
}

TEST(BackwardInput, KeepsOffKnotsUnlessAskedForThem) {
  for (const DType type : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const Problem problem = in_type(
        type, make_problem({.queries = 300, .heads = 3, .levels = {{92, 160}, {36, 36}, {7, 1}}}));
    for (const Distribution distribution :
         {Distribution::kUniform, Distribution::kLocal, Distribution::kDirectional,
          Distribution::kClustered, Distribution::kOutside, Distribution::kSame}) {
      EXPECT_EQ(near_knots(problem, distribution), 0)
          << name_of(type) << " " << name_of(distribution);
    }
    EXPECT_GT(near_knots(problem, Distribution::kBorder), 1000);
  }
}

TEST(BackwardInput, IsThatOfTheForwardButForPointsOnKnots) {
  Problem problem = small_problem();
  problem.queries = 200;
  const Input input = make_gradient_input(problem, Distribution::kUniform);
  const Input forward = generate(problem, {});
  EXPECT_EQ(input.at("value"), forward.at("value"));
  EXPECT_EQ(input.at("weights"), forward.at("weights"));
  int moved = 0;
  const std::int64_t count = backward::elements(problem, backward::kLocations);
  for (std::int64_t i = 0; i < count; ++i) {
    const double before = load_element(DType::kFloat32, forward.at("locations").data(), i);
    const double after = load_element(DType::kFloat32, input.at("locations").data(), i);
    EXPECT_NEAR(before, after, 0.04);  // 1/64 + 3/128 pixels of a level of one pixel
    moved += before == after ? 0 : 1;
  }
  EXPECT_GT(moved, 0);
  EXPECT_LT(static_cast<double>(moved), 0.05 * static_cast<double>(count));
}

TEST(BackwardInput, HasGradientsOfMeanZeroAndVarianceOneOfAStreamOfTheirOwn) {
  Problem problem = small_problem();
  problem.queries = 2000;
  const Input input = make_gradient_input(problem, Distribution::kUniform);
  const std::vector<double> gradient = doubles_of(input, "grad_output");
  double sum = 0;
  double squares = 0;
  for (const double x : gradient) {
    sum += x;
    squares += x * x;
  }
  const auto count = static_cast<double>(gradient.size());
  EXPECT_NEAR(sum / count, 0, 0.02);
  EXPECT_NEAR(squares / count, 1, 0.03);
  const std::vector<double> value = doubles_of(input, "value");
  EXPECT_FALSE(std::equal(value.begin(), value.begin() + 8, gradient.begin()));
}

TEST(BackwardInput, IsTheSameForAnyNumberOfThreads) {
  Generation generation;
  const Problem problem = in_type(DType::kFloat16, small_problem());
  const Input one = backward::generate_input(problem, generation, 1);
  EXPECT_EQ(one.tensors, backward::generate_input(problem, generation, 4).tensors);
  generation.seed = 2;
  EXPECT_NE(one.tensors, backward::generate_input(problem, generation, 1).tensors);
}

TEST(BackwardInput, IsWrittenAndReadAgainWithItsResults) {
  const TemporaryDirectory directory;
  Input input = make_gradient_input(small_problem(), Distribution::kOutside);
  const auto outputs = backward::compute_reference(input);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    input.expected[backward::kGradValue + i].assign(outputs[i].begin(), outputs[i].end());
  }
  for (const FileFormat format : {FileFormat::kNpy, FileFormat::kRaw}) {
    const auto place = directory.path() / (format == FileFormat::kNpy ? "npy" : "raw");
    write_directory(input, place, format);
    const Input read = format == FileFormat::kNpy
                           ? read_npy_directory(place, backward::kTensors)
                           : read_raw_directory(place, backward::kTensors, input.problem);
    EXPECT_EQ(read.tensors, input.tensors);
    EXPECT_EQ(read.expected, input.expected);
  }
}

TEST(BackwardTraffic, CountsWhatIsAskedFor) {
  const Operator& op = find_operator("backward");
  Problem problem = in_type(
      DType::kFloat16, make_problem({.batch = 2, .queries = 10, .heads = 3, .levels = {{4, 5}}}));
  const std::int64_t points = 2 * 10 * 3 * 4;
  const std::int64_t gradient = 2 * 10 * 3 * 32 * 2;
  const std::int64_t value = 2 * 20 * 3 * 32 * 2;
  const std::int64_t loop = points * 32 * 4 * 2;
  const Traffic all = op.traffic(problem);
  EXPECT_EQ(all.least_read, points * 2 * 2 + points * 2 + gradient);
  EXPECT_EQ(all.read, all.least_read + value);
  EXPECT_EQ(all.written, points * 2 * 2 + points * 2);
  EXPECT_EQ(all.accumulated, value);
  EXPECT_EQ(all.least_written, all.written + value);
  EXPECT_EQ(all.gathered, loop);
  EXPECT_EQ(all.scattered, loop);
  EXPECT_EQ(all.flops, points * 32 * 16);

  problem.unasked = 1U << backward::kGradValue;
  const Traffic points_alone = op.traffic(problem);
  EXPECT_EQ(points_alone.accumulated, 0);
  EXPECT_EQ(points_alone.scattered, 0);
  EXPECT_EQ(points_alone.flops, points * 32 * 8);
  EXPECT_EQ(points_alone.read, all.read);

  problem.unasked = 1U << backward::kGradLocations | 1U << backward::kGradWeights;
  const Traffic value_alone = op.traffic(problem);
  EXPECT_EQ(value_alone.written, 0);
  EXPECT_EQ(value_alone.gathered, 0);
  EXPECT_EQ(value_alone.read, all.least_read);  // no values
}

TEST(BackwardTraffic, OfGradientsOfWeightsAloneHasNoWeightsAndAllPixels) {
  const Operator& op = find_operator("backward");
  Problem problem = small_problem();
  const Traffic all = op.traffic(problem);
  problem.unasked = 1U << backward::kGradValue | 1U << backward::kGradLocations;
  const Traffic weights_alone = op.traffic(problem);
  EXPECT_EQ(weights_alone.least_read, all.least_read - bytes_of(problem, backward::kWeights));

  const Traffic least = op.least_traffic(make_gradient_input(problem, Distribution::kUniform));
  problem.unasked = 1U << backward::kGradValue | 1U << backward::kGradWeights;
  const Traffic other = op.least_traffic(make_gradient_input(problem, Distribution::kUniform));
  EXPECT_GT(least.read, least.least_read);
  EXPECT_EQ(least.read - least.least_read, other.read - other.least_read);
  EXPECT_EQ(least.gathered, other.gathered);
}

/// PyTorch's gradients lie beside the captured tensors; that of the values is left out there, being
/// the largest, and is held by its product with the values, which is the loss.
TEST(BackwardReference, AgreesWithTheGradientsOfTheCapturedTensors) {
  const Input input = read_npy_directory(MSDA_SOURCE_DIR "/experiments/inputs/captured_decoder",
                                         backward::kTensors);
  const Gradients g = gradients_of(input);
  const auto difference = [](const std::vector<double>& ours, const std::vector<float>& theirs) {
    double squares = 0;
    double errors = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const double error = ours[i] - static_cast<double>(theirs[i]);
      errors += error * error;
      squares += ours[i] * ours[i];
    }
    return std::sqrt(errors / squares);
  };
  ASSERT_EQ(input.expected[backward::kGradLocations].size(), g.locations.size());
  ASSERT_EQ(input.expected[backward::kGradWeights].size(), g.weights.size());
  EXPECT_LT(difference(g.locations, input.expected[backward::kGradLocations]), 1e-6);
  EXPECT_LT(difference(g.weights, input.expected[backward::kGradWeights]), 1e-6);
  const std::vector<double> value = doubles_of(input, "value");
  const std::vector<double> weights = doubles_of(input, "weights");
  double of_values = 0;
  double of_weights = 0;
  for (std::size_t i = 0; i < value.size(); ++i) of_values += value[i] * g.value[i];
  for (std::size_t i = 0; i < weights.size(); ++i) {
    of_weights += weights[i] * static_cast<double>(input.expected[backward::kGradWeights][i]);
  }
  EXPECT_NEAR(of_values, of_weights, 1e-6 * std::abs(of_weights));
}

}  // namespace
}  // namespace msda
