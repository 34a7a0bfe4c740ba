// Cases that users of public implementations have reported, with answers that are known without a
// reference: every kernel for the CPU, and the default composition on simt.
#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/operators/backward.hpp>
#include <msda/operators/forward.hpp>
#include "conformance/conformance.hpp"
#include "conformance/large_counts.hpp"
#include "input/elements.hpp"
#include "measure/verify.hpp"
#include "operators/operator.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

void fill(Input& input, std::size_t tensor, const std::function<float(std::int64_t)>& number) {
  const TensorSpec& spec = input.specs[tensor];
  Bytes& bytes = input.tensors[tensor];
  bytes.resize(static_cast<std::size_t>(bytes_of(input.problem, spec)));
  for (std::int64_t i = 0; i < elements(input.problem, spec); ++i) {
    store_element(type_of(input.problem, spec), bytes.data(), i, number(i));
  }
}

Input forward_input(const Problem& problem, float value, float location, float weight) {
  Input input(problem, forward::kTensors);
  fill(input, forward::kValue, [=](std::int64_t) { return value; });
  fill(input, forward::kLocations, [=](std::int64_t) { return location; });
  fill(input, forward::kWeights, [=](std::int64_t) { return weight; });
  return input;
}

std::vector<float> numbers_of(const Problem& problem, const TensorSpec& spec, const Bytes& bytes) {
  std::vector<float> numbers(static_cast<std::size_t>(elements(problem, spec)));
  load_floats(type_of(problem, spec), bytes.data(), 0, numbers);
  return numbers;
}

/// A composition and the device that it is tried on.
struct Arm {
  std::string name;
  std::string device;
};

class PublicCases : public testing::TestWithParam<Arm> {
 protected:
  /// Each output, or nothing where the composition refuses the problem.
  std::vector<std::vector<float>> run(const Input& input) {
    const Composition composition = shipped_composition(GetParam().name);
    if (composition.unsupported(input.problem, device_->info())) return {};
    const Prepared prepared = device_->prepare(composition, input.problem);
    DeviceInput on_device(*device_, input);
    const std::vector<Bytes> outputs = run_poisoned(*device_, *prepared.executable, on_device);
    std::vector<std::vector<float>> numbers;
    for (std::size_t i = 0; const std::size_t tensor : composition.op().outputs(input.problem)) {
      numbers.push_back(
          numbers_of(input.problem, composition.op().tensors()[tensor], outputs[i++]));
    }
    return numbers;
  }
  /// Of `forward`; `expected` where the composition refuses the problem.
  std::vector<float> output(const Input& input, const std::vector<float>& expected) {
    const auto outputs = run(input);
    return outputs.empty() ? expected : outputs.front();
  }

  std::unique_ptr<Device> device_ = open_device(GetParam().device);
};

TEST_P(PublicCases, TheCornerOfAnImageOfOnesIsAQuarterInEveryType) {
  for (const DType type : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const Problem problem =
        in_type(type, make_problem({.queries = 30,
                                    .heads = 2,
                                    .channels = 16,
                                    .levels = {{32, 32}, {16, 16}, {8, 8}, {4, 4}}}));
    EXPECT_THAT(output(forward_input(problem, 1, 1, 1.0F / 16), {0.25F}), Each(0.25F))
        << name_of(type);
  }
}

TEST_P(PublicCases, PointsAtNoNumberAtInfinityAndFarAwayReadNothing) {
  const Problem problem =
      make_problem({.queries = 5, .channels = 8, .points = 1, .levels = {{4, 4}}});
  Input input = forward_input(problem, 1, 0.5F, 1);
  const float places[] = {kNan, 0.5F, kInfinity, 0.5F, -3.2e38F, 3e38F, 1e9F, 0.5F, 0.5F, 0.5F};
  fill(input, forward::kLocations, [&](std::int64_t i) { return places[i]; });
  std::vector<float> expected(40, 0.0F);
  std::fill(expected.begin() + 32, expected.end(), 1.0F);
  EXPECT_EQ(output(input, expected), expected);
}

TEST_P(PublicCases, AnyNumberOfPointsAndChannels) {
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {
      {13, 30}, {2, 71}, {32, 4}, {1, 144}, {3, 1025}, {4, 2048}, {4, 3096}};
  if (GetParam().device == "simt") sizes.resize(2);  // each is compiled
  for (const auto& [points, channels] : sizes) {
    const Problem problem = make_problem(
        {.queries = 2, .channels = channels, .points = points, .levels = {{6, 4}, {3, 2}}});
    const float weight = 1.0F / static_cast<float>(2 * points);
    EXPECT_THAT(output(forward_input(problem, 3, 0.5F, weight), {3}),
                Each(testing::FloatNear(3, 1e-5F)))
        << points << " " << channels;
  }
}

TEST_P(PublicCases, ImagesOfALargeBatchAreAsIfAlone) {
  const Problem one = make_problem(
      {.queries = 3, .heads = 2, .channels = 8, .points = 2, .levels = {{4, 5}, {2, 2}}});
  Problem many = one;
  many.batch = 134;
  Generation generation;
  const Input all = generate(many, generation);
  const auto together = run(all);
  if (together.empty()) return;
  const std::size_t row = together.front().size() / 134;
  for (const std::int64_t image : {0, 63, 64, 133}) {
    Input alone(one, forward::kTensors);
    for (const std::size_t tensor : {forward::kValue, forward::kLocations, forward::kWeights}) {
      const std::size_t bytes = all.tensors[tensor].size() / 134;
      const auto* const first =
          all.tensors[tensor].data() + static_cast<std::size_t>(image) * bytes;
      alone.tensors[tensor].assign(first, first + bytes);
    }
    const auto begin = together.front().begin() + image * static_cast<std::int64_t>(row);
    EXPECT_EQ(run(alone).front(), std::vector<float>(begin, begin + static_cast<std::int64_t>(row)))
        << image;
  }
}

TEST_P(PublicCases, SumsThatHalvesCannotHoldOnTheWayAreRight) {
  const Problem problem =
      in_type(DType::kFloat16,
              make_problem({.queries = 1, .channels = 8, .points = 3, .levels = {{1, 1}}}));
  Input input = forward_input(problem, 60000, 0.5F, 1);
  const float weights[] = {1, 1, -1};
  fill(input, forward::kWeights, [&](std::int64_t i) { return weights[i]; });
  EXPECT_THAT(output(input, {60000}), Each(60000.0F));  // which fp16 holds
}

/// Those of more than 2^31 are for a GPU, and these are too slow for simulated threads.
TEST_P(PublicCases, CountsOfOutputsValuesAndLocations) {
  if (GetParam().device == "simt") return;
  for (const LargeCount& one : large_counts(true)) {
    const Composition composition = shipped_composition(GetParam().name);
    if (composition.unsupported(one.problem, device_->info())) continue;
    EXPECT_EQ(fault_of(*device_, composition, one), "") << describe(one.problem);
  }
}

std::vector<Arm> forward_arms() {
  std::vector<Arm> arms = {{"default", "simt"}};
  for (const std::string& name : shipped_names(DeviceKind::kCpu)) arms.push_back({name, "cpu"});
  return arms;
}

INSTANTIATE_TEST_SUITE_P(Forward, PublicCases, testing::ValuesIn(forward_arms()),
                         [](const auto& info) { return test_name(info.param.name); });

class PublicGradients : public PublicCases {};

TEST_P(PublicGradients, PointsAtNoNumberAtInfinityAndFarAwayHaveNone) {
  const Problem problem =
      make_problem({.queries = 5, .channels = 8, .points = 1, .levels = {{4, 4}}});
  Input input(problem, backward::kTensors);
  const float places[] = {kNan, 0.5F, kInfinity, 0.5F, -3.2e38F, 3e38F, 1e9F, 0.5F, 0.5F, 0.5F};
  fill(input, backward::kValue, [](std::int64_t) { return 1.0F; });
  fill(input, backward::kLocations, [&](std::int64_t i) { return places[i]; });
  fill(input, backward::kWeights, [](std::int64_t) { return 1.0F; });
  fill(input, backward::kGradOutput, [](std::int64_t) { return 1.0F; });
  const auto outputs = run(input);
  ASSERT_EQ(outputs.size(), 3U);
  for (std::size_t i = 0; i < outputs[0].size(); ++i) {
    const std::size_t row = i / 8 / 4;
    const std::size_t column = i / 8 % 4;
    const bool is_central = row / 2 + row % 2 == 1 && column / 2 + column % 2 == 1;
    EXPECT_EQ(outputs[0][i], is_central ? 0.25F : 0.0F) << i;
  }
  EXPECT_THAT(outputs[1], Each(0.0F));  // a level of ones is flat
  EXPECT_THAT(outputs[2], ElementsAre(0, 0, 0, 0, 8));
}

std::vector<Arm> gradient_arms() {
  std::vector<Arm> arms;
  for (const std::string& name : shipped_names(DeviceKind::kCpu, "backward")) {
    arms.push_back({name, "cpu"});
  }
  return arms;
}

INSTANTIATE_TEST_SUITE_P(Backward, PublicGradients, testing::ValuesIn(gradient_arms()),
                         [](const auto& info) { return test_name(info.param.name); });

}  // namespace
}  // namespace msda
