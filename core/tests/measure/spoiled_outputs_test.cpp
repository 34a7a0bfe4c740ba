// What is spoiled of an output before a launch, and looked at behind it.
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "input/elements.hpp"
#include "measure/blocks.hpp"
#include "measure/shuffle.hpp"
#include "operators/operator.hpp"
#include "support/no_device.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

TEST(OutputParts, TheLastOneEndsWithTheOutput) {
  Problem problem = tiny_problem();
  problem.queries =
      (std::int64_t{15} << 19) / (problem.batch * problem.heads * problem.channels * 4);
  const auto device = open_device("cpu");
  const Operator& op = find_operator("forward");
  auto input = std::make_shared<const Input>(generate(problem, {}));
  auto truths = std::make_shared<const std::vector<Truth>>(make_truths(op, *input));
  GroupInputs inputs(*device, {{input, "", &op, truths}});
  const Composition composition{shipped(), {{"cpu-scalar", {}}}};
  Prepared prepared = device->prepare(composition, problem);
  OutputCheck check(composition, inputs);
  ASSERT_TRUE(check.verify(*device, *prepared.executable, 0).right);
  WatchMemory memory;
  std::mt19937_64 generator(1);
  for (int i = 0; i < 10; ++i) {  // of two parts one is drawn
    check.spoil(generator, 1);
    RowWatch watch(*device, inputs, memory,
                   {composition, prepared,
                    [&](std::size_t set, std::size_t output) -> const Bounds& {
                      return check.bounds(set, output);
                    }},
                   generator, 1);
    watch.begin();
    device->time(
        TimingMode::kWarm, 1,
        [&](int i) { prepared.executable->launch(inputs.tensors_of_launch(i), nullptr); }, &watch);
    EXPECT_EQ(check.check(*device, *prepared.executable, watch).reason, "");
  }
}

TEST(DeviceInputs, SpoiledNumbersAreFiniteAndInTheirPart) {
  const auto device = open_device("cpu");
  Problem problem = tiny_problem();
  problem.queries = 40;
  for (const DType type : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    problem.types = Types::all(type);
    DeviceInput input(*device, generate(problem, {}));
    input.poison_outputs();
    auto generator = generator_of(Purpose::kSpoiling, {1});
    const std::size_t half = input.output_bytes(0) / 2;
    input.spoil_output(0, generator, 0, half);
    const Bytes output = input.download_output(0);
    int spoiled = 0;
    for (std::size_t i = 0; i < output.size() / size_of(type); ++i) {
      const double x = load_element(type, output.data(), static_cast<std::int64_t>(i));
      if (std::isnan(x)) continue;
      ++spoiled;
      EXPECT_TRUE(std::isfinite(x));
      EXPECT_LT(i * size_of(type), half);
    }
    EXPECT_GE(spoiled, 8);
    EXPECT_EQ(input.written_beside(), "");
  }
}

TEST(DeviceInputs, SpoiledNumbersAreFiniteWithEverySeed) {
  const auto device = open_device("cpu");
  for (const DType type : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    DeviceInput input(*device, generate(in_type(type, tiny_problem()), {}));
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      auto generator = generator_of(Purpose::kSpoiling, {seed});
      input.spoil_output(0, generator, 0, input.output_bytes(0));
      const Bytes output = input.download_output(0);
      // The first piece lies where the output begins.
      for (std::int64_t i = 0; i * static_cast<std::int64_t>(size_of(type)) < 8; ++i) {
        EXPECT_TRUE(std::isfinite(load_element(type, output.data(), i))) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace msda
