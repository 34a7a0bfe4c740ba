// Every CPU kernel of the gradients on shapes, types and layouts that are awkward, asked for all of
// the outputs and for some.
#include <array>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gradients.hpp"
#include "plugin/registry.hpp"
#include "reference/compare.hpp"

namespace msda {
namespace {

constexpr std::size_t kGuard = 256;  // bytes before and after each output
constexpr std::byte kUntouched{0xA5};

DeviceInfo cpu() {
  DeviceInfo device;
  device.id = "cpu";
  device.multiprocessors = 3;
  return device;
}

std::vector<const Kernel*> kernels() {
  static const Registry kRegistry(Registry::default_directories({}));
  std::vector<const Kernel*> found;
  for (const Plugin& plugin : kRegistry.plugins()) {
    const auto* kernel = dynamic_cast<const Kernel*>(plugin.variant.get());
    if (kernel == nullptr) continue;
    const Parameters parameters = resolve_parameters(kernel->info(), {});
    if (kernel->computes(parameters) == "backward" &&
        kernel->devices(parameters) == std::vector{DeviceKind::kCpu}) {
      found.push_back(kernel);
    }
  }
  return found;
}

/// The outputs that are asked for, run into poison between guards that have to stay.
std::vector<Bytes> run(const Kernel& kernel, const Input& input,
                       const std::map<std::string, ParameterValue>& parameters = {}) {
  const auto executable =
      kernel.prepare(input.problem, cpu(), resolve_parameters(kernel.info(), parameters));
  Tensors tensors;
  std::array<Bytes, std::size(backward::kTensors)> memory;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (backward::kTensors[i].role == TensorSpec::Role::kInput) {
      tensors.data[i] = const_cast<std::byte*>(input.tensors[i].data());
    } else if (is_asked(input.problem, i)) {
      const auto bytes =
          static_cast<std::size_t>(msda::bytes_of(input.problem, backward::kTensors[i]));
      memory[i].assign(bytes + 2 * kGuard, kUntouched);
      std::memset(memory[i].data() + kGuard, 0xFF, bytes);
      tensors.data[i] = memory[i].data() + kGuard;
    }
  }
  executable->launch(tensors, nullptr);
  std::vector<Bytes> outputs;
  for (const Bytes& one : memory) {
    if (one.empty()) continue;
    for (std::size_t i = 0; i < kGuard; ++i) {
      EXPECT_EQ(one[i], kUntouched);
      EXPECT_EQ(one[one.size() - 1 - i], kUntouched);
    }
    outputs.emplace_back(one.begin() + kGuard, one.end() - kGuard);
  }
  return outputs;
}

void expect_right(const Input& input, const std::vector<Truth>& truths,
                  const std::vector<Bytes>& outputs) {
  ASSERT_EQ(outputs.size(), truths.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    SCOPED_TRACE(fmt::format("output {} of {}", i, describe(input.problem)));
    const Bounds bounds({}, truths[i]);
    const Comparison c = compare(truths[i].shape, outputs[i], truths[i].output, &bounds);
    EXPECT_EQ(c.not_written, 0);
    EXPECT_LE(c.relative_l2, bounds.relative_l2());
    EXPECT_LE(c.row_excess, 1);
    EXPECT_LE(c.element_excess, 1);
  }
}

void expect_right(const Input& input) {
  const auto truths = backward::make_truths(input, backward::compute_reference(input));
  for (const Kernel* kernel : kernels()) {
    SCOPED_TRACE(kernel->info().name);
    expect_right(input, truths, run(*kernel, input));
  }
}

TEST(BackwardKernels, AreThere) { EXPECT_GE(kernels().size(), 2U); }

TEST(BackwardKernels, AreRightForEveryNumberOfChannelsAndPoints) {
  for (const std::int64_t channels : {1, 4, 30, 71, 144, 1025, 2048, 3096}) {
    expect_right(make_gradient_input(make_problem({.queries = 3,
                                                   .heads = 2,
                                                   .channels = channels,
                                                   .points = 2,
                                                   .levels = {{6, 4}, {3, 2}}}),
                                     Distribution::kOutside));
  }
  for (const std::int64_t points : {1, 2, 13, 32}) {
    expect_right(make_gradient_input(make_problem({.queries = 20,
                                                   .heads = 2,
                                                   .channels = 8,
                                                   .points = points,
                                                   .levels = {{17, 13}, {9, 7}}}),
                                     Distribution::kUniform));
  }
}

TEST(BackwardKernels, AreRightInEveryTypeAndLayout) {
  const Types mixed{DType::kBFloat16, DType::kFloat16, DType::kFloat16, DType::kFloat32};
  for (const Types& types : {Types::all(DType::kFloat16), Types::all(DType::kBFloat16), mixed}) {
    for (const ValueLayout layout : {ValueLayout::kPlain, ValueLayout::kZeroBorder}) {
      Problem problem = make_problem({.batch = 2,
                                      .queries = 50,
                                      .heads = 3,
                                      .channels = 12,
                                      .levels = {{6, 9}, {4, 1}, {1, 1}}});
      problem.types = types;
      problem.layout = layout;
      expect_right(make_gradient_input(problem, Distribution::kBorder));
      expect_right(make_gradient_input(problem, Distribution::kDirectional));
    }
  }
}

/// As of the losses sum(output), whose gradient has a stride of 0 where it comes from, and
/// sum(transposed output): as tensors they are dense.
TEST(BackwardKernels, AreRightForTheGradientOfASum) {
  Input input = make_gradient_input(small_problem(), Distribution::kUniform);
  const auto count =
      static_cast<std::size_t>(backward::elements(input.problem, backward::kGradOutput));
  input.at("grad_output") = make_tensor(DType::kFloat32, std::vector<float>(count, 1.0F));
  expect_right(input);
}

TEST(BackwardKernels, GiveEachImageTheBitsThatItHasAlone) {
  const Problem problem = make_problem(
      {.batch = 5, .queries = 4, .heads = 80, .channels = 8, .levels = {{11, 11}, {6, 6}}});
  const Input all = make_gradient_input(problem, Distribution::kUniform);
  constexpr std::int64_t kImage = 3;
  Problem single = problem;
  single.batch = 1;
  Input alone(single, backward::kTensors);
  const auto image_of = [&](const Bytes& bytes) {
    const std::size_t size = bytes.size() / static_cast<std::size_t>(problem.batch);
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(kImage * size);
    return Bytes(first, first + static_cast<std::ptrdiff_t>(size));
  };
  for (std::size_t i = 0; i <= backward::kGradOutput; ++i) {
    alone.tensors[i] = image_of(all.tensors[i]);
  }
  for (const Kernel* kernel : kernels()) {
    const std::vector<Bytes> together = run(*kernel, all);
    const std::vector<Bytes> own = run(*kernel, alone);
    for (std::size_t i = 0; i < own.size(); ++i) EXPECT_EQ(image_of(together[i]), own[i]);
  }
}

TEST(BackwardKernels, IgnorePointsThatAreNoNumbers) {
  Problem problem = small_problem();
  problem.queries = 40;
  Input input = make_gradient_input(problem, Distribution::kUniform);
  const float hostile[] = {std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(), 1e9F, -3.2e38F};
  for (std::int64_t i = 0; i < backward::elements(problem, backward::kLocations); i += 7) {
    store_element(DType::kFloat32, input.at("locations").data(), i,
                  hostile[static_cast<std::size_t>(i) / 7 % 5]);
  }
  expect_right(input);
}

/// Reference points of an image that is padding alone are 0/0.
TEST(BackwardKernels, LeaveAPaddedImageWithoutGradientsAndTheOtherUntouched) {
  Problem problem = small_problem();
  problem.queries = 30;
  Input input = make_gradient_input(problem, Distribution::kUniform);
  std::vector<std::vector<Bytes>> before;
  for (const Kernel* kernel : kernels()) before.push_back(run(*kernel, input));
  const std::int64_t count = backward::elements(problem, backward::kLocations);
  for (std::int64_t i = count / 2; i < count; ++i) {
    store_element(DType::kFloat32, input.at("locations").data(), i,
                  std::numeric_limits<float>::quiet_NaN());
  }
  for (std::size_t k = 0; k < before.size(); ++k) {
    const std::vector<Bytes> after = run(*kernels()[k], input);
    for (std::size_t i = 0; i < after.size(); ++i) {
      const auto half = static_cast<std::ptrdiff_t>(after[i].size() / 2);
      EXPECT_TRUE(std::equal(after[i].begin(), after[i].begin() + half, before[k][i].begin()));
      EXPECT_TRUE(std::all_of(after[i].begin() + half, after[i].end(),
                              [](std::byte byte) { return byte == std::byte{0}; }));
    }
  }
}

TEST(BackwardKernels, LeaveOutWhatNobodyAsksFor) {
  Input input = make_gradient_input(small_problem(), Distribution::kUniform);
  for (const Kernel* kernel : kernels()) {
    input.problem.unasked = 0;
    const std::vector<Bytes> all = run(*kernel, input);
    for (std::uint32_t unasked = 1; unasked < 7; ++unasked) {
      input.problem.unasked = unasked << backward::kGradValue;
      std::vector<Bytes> wanted;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if ((unasked >> i & 1U) == 0) wanted.push_back(all[i]);
      }
      EXPECT_EQ(run(*kernel, input), wanted) << kernel->info().name << " " << unasked;
    }
  }
}

TEST(BackwardKernels, TakeEmptyCalls) {
  for (const bool no_images : {true, false}) {
    Problem problem = small_problem();
    (no_images ? problem.batch : problem.queries) = 0;
    Input input(problem, backward::kTensors);
    for (std::size_t i = 0; i <= backward::kGradOutput; ++i) {
      input.tensors[i].resize(
          static_cast<std::size_t>(msda::bytes_of(problem, backward::kTensors[i])));
    }
    const auto reference = backward::compute_reference(input);
    const auto truths = backward::make_truths(input, reference);
    EXPECT_TRUE(reference[1].empty());
    EXPECT_EQ(reference[0].empty(), no_images);
    for (const Kernel* kernel : kernels()) expect_right(input, truths, run(*kernel, input));
  }
}

TEST(BackwardKernels, GiveTheSameBitsWithAnyNumberOfThreadsAndTiles) {
  Problem problem =
      make_problem({.batch = 2, .queries = 301, .heads = 3, .levels = {{9, 9}, {5, 5}}});
  const Input input = make_gradient_input(problem, Distribution::kUniform);
  const Kernel* threaded = nullptr;
  for (const Kernel* kernel : kernels()) {
    for (const ParameterSpec& spec : kernel->info().parameters) {
      if (spec.name == "threads") threaded = kernel;
    }
  }
  ASSERT_NE(threaded, nullptr);
  const std::vector<Bytes> one = run(*threaded, input, {{"threads", std::int64_t{1}}});
  for (const std::int64_t threads : {2, 7}) {
    for (const std::int64_t bands : {0, 1, 4, 30}) {
      EXPECT_EQ(run(*threaded, input, {{"threads", threads}, {"bands", bands}}), one);
    }
  }
}

}  // namespace
}  // namespace msda
