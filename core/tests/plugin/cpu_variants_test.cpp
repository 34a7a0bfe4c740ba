// Every CPU kernel that is found, with every choice of each of its parameters, over a grid of
// shapes, types and layouts that vector code gets wrong first.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "input/elements.hpp"
#include "input/input.hpp"
#include "operators/forward/forward.hpp"
#include "plugin/registry.hpp"
#include "problem/validate.hpp"
#include "reference/compare.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

constexpr std::size_t kGuard = 256;  // bytes before and after the output
constexpr std::byte kUntouched{0xA5};

struct Case {
  Input input;
  Truth truth;
};

struct Arm {
  const Kernel* kernel;
  Parameters parameters;
  std::string label;
};

Case make_case(const Problem& problem, Distribution distribution) {
  Generation generation;
  generation.distribution = distribution;
  generation.seed = static_cast<std::uint64_t>(problem.channels * 100 + problem.points);
  Case made{generate(problem, generation, 1), {}};
  const std::array hostile = {std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity()};
  for (std::size_t i = 0; i < hostile.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i * 5);
    if (index >= elements(problem, forward::kLocations)) break;
    store_element(problem.types.location, made.input.at("locations").data(), index, hostile[i]);
  }
  made.truth = forward::make_truth(made.input, forward::compute_reference(made.input, 1), 1);
  return made;
}

/// Channels by types by layouts, with the other sizes changing along.
std::vector<Case> make_cases() {
  const std::array channels = {1, 2, 3, 5, 8, 12, 16, 24, 31, 32, 33, 64, 100, 256};
  const std::array types = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
  const std::array layouts = {ValueLayout::kPlain, ValueLayout::kZeroBorder};
  const std::array distributions = {Distribution::kUniform, Distribution::kBorder,
                                    Distribution::kOutside, Distribution::kDirectional};
  const std::vector<Level> levels = {{6, 9}, {1, 1}, {4, 1}, {1, 7}, {2, 2}};
  const std::array queries = {1, 2, 13, 37};
  std::vector<Case> cases;
  for (const std::int64_t channel_count : channels) {
    for (const DType type : types) {
      for (const ValueLayout layout : layouts) {
        const auto turn = cases.size();
        Problem problem;
        problem.batch = 1 + static_cast<std::int64_t>(turn % 3);
        problem.queries = queries[turn % queries.size()];
        problem.heads = 1 + static_cast<std::int64_t>(turn % 4);
        problem.channels = channel_count;
        problem.points = 1 + static_cast<std::int64_t>(turn % 8);
        problem.levels.assign(levels.begin(),
                              levels.begin() + static_cast<std::ptrdiff_t>(1 + turn % 5));
        problem.layout = layout;
        problem.types = Types::all(type);
        if (turn % 2 == 1) problem.types.location = DType::kFloat32;
        cases.push_back(make_case(problem, distributions[turn % distributions.size()]));
      }
    }
  }
  return cases;
}

/// Defaults, then each choice or, for an integer, each end of its range that is no larger than 3.
std::vector<Parameters> settings(const VariantInfo& info) {
  std::vector<Parameters> all = {resolve_parameters(info, {})};
  for (const ParameterSpec& spec : info.parameters) {
    std::vector<ParameterValue> values = spec.choices;
    if (values.empty() && std::holds_alternative<std::int64_t>(spec.default_value)) {
      for (const std::int64_t value : {1, 3}) {
        if (static_cast<double>(value) >= spec.minimum.value_or(1) &&
            static_cast<double>(value) <= spec.maximum.value_or(3)) {
          values.emplace_back(value);
        }
      }
    }
    for (const ParameterValue& value : values) {
      all.push_back(resolve_parameters(info, {{spec.name, value}}));
    }
  }
  return all;
}

DeviceInfo cpu() {
  DeviceInfo device;
  device.id = "cpu";
  device.multiprocessors = 3;
  return device;
}

/// Of the operator `forward`.
bool is_for_cpu(const Kernel& kernel) {
  const Parameters parameters = resolve_parameters(kernel.info(), {});
  return kernel.devices(parameters) == std::vector{DeviceKind::kCpu} &&
         kernel.computes(parameters).empty();
}

std::vector<Arm> arms(const Registry& registry) {
  std::vector<Arm> found;
  for (const Plugin& plugin : registry.plugins()) {
    const auto* kernel = dynamic_cast<const Kernel*>(plugin.variant.get());
    if (kernel == nullptr || !is_for_cpu(*kernel)) continue;
    for (Parameters& parameters : settings(kernel->info())) {
      std::string label = plugin.name;
      for (const auto& [name, value] : parameters.values()) {
        label += " " + name + "=" + to_string(value);
      }
      found.push_back({kernel, std::move(parameters), std::move(label)});
    }
  }
  return found;
}

/// Runs into a poisoned output between guards; checks that the guards stay.
Bytes run(Executable& executable, const Input& input) {
  const Problem& problem = input.problem;
  const auto bytes =
      static_cast<std::size_t>(elements(problem, forward::kOutput)) * size_of(problem.types.output);
  Bytes memory(bytes + 2 * kGuard, kUntouched);
  std::memset(memory.data() + kGuard, 0xFF, bytes);
  Tensors tensors;
  for (std::size_t i = 0; i < input.tensors.size(); ++i) {
    tensors.data[i] = const_cast<std::byte*>(input.tensors[i].data());
  }
  tensors.data[forward::kOutput] = memory.data() + kGuard;
  executable.bind(tensors);
  executable.launch(tensors, nullptr);
  for (std::size_t i = 0; i < kGuard; ++i) {
    EXPECT_EQ(memory[i], kUntouched) << "written before the output";
    EXPECT_EQ(memory[kGuard + bytes + i], kUntouched) << "written after the output";
  }
  return {memory.begin() + kGuard, memory.end() - kGuard};
}

void expect_right(const Arm& arm, const Case& one) {
  const Problem& problem = one.input.problem;
  if (arm.kernel->unsupported(problem, cpu(), arm.parameters)) return;
  const auto executable = arm.kernel->prepare(problem, cpu(), arm.parameters);
  const Bytes output = run(*executable, one.input);
  const Bounds bounds(arm.kernel->arithmetic(problem, arm.parameters), one.truth);
  const Comparison comparison = compare(rows_of(problem, forward::kTensors[forward::kOutput]),
                                        output, one.truth.output, &bounds, 1);
  EXPECT_EQ(comparison.not_written, 0);
  EXPECT_LE(comparison.relative_l2, bounds.relative_l2());
  EXPECT_LE(comparison.row_excess, 1);
  EXPECT_LE(comparison.element_excess, 1);
  if (arm.kernel->deterministic("output", arm.parameters)) {
    EXPECT_EQ(run(*executable, one.input), output) << "a second launch gives other bits";
  }
}

TEST(CpuVariants, AreRightOnEveryShapeTypeLayoutAndParameter) {
  const Registry registry(Registry::default_directories({}));
  const std::vector<Arm> found = arms(registry);
  ASSERT_FALSE(found.empty()) << "no CPU kernel was found";
  for (const Case& one : make_cases()) {
    for (const Arm& arm : found) {
      SCOPED_TRACE(arm.label + " on " + describe(one.input.problem));
      expect_right(arm, one);
      if (HasFailure()) return;  // thousands of the same would follow
    }
  }
}

/// A level so wide that a rounding error in location * width could be seen.
TEST(CpuVariants, LocateWithoutRoundingErrorOnWideLevels) {
  const Registry registry(Registry::default_directories({}));
  const Problem problem =
      make_problem({.queries = 200, .channels = 8, .levels = {{3, 4000}, {3000, 2}}});
  const Case wide = make_case(problem, Distribution::kUniform);
  for (const Arm& arm : arms(registry)) {
    SCOPED_TRACE(arm.label);
    expect_right(arm, wide);
  }
}

/// Infinite values next to a point, in corners that lie outside the level or are not touched at
/// all.
TEST(CpuVariants, ReadNothingButTheCornersOfAPoint) {
  const Registry registry(Registry::default_directories({}));
  const Problem problem = make_problem({.channels = 8, .points = 1, .levels = {{2, 2}, {2, 2}}});
  Input input = generate(problem, {}, 1);
  const auto infinity = std::numeric_limits<float>::infinity();
  for (std::int64_t i = 0; i < elements(input.problem, forward::kValue); ++i) {
    // Pixels 0, 3 and 4 are finite: those that the two points below touch.
    const std::int64_t pixel = i / problem.channels;
    if (pixel != 0 && pixel != 3 && pixel != 4) {
      store_element(DType::kFloat32, input.at("value").data(), i, infinity);
    }
  }
  const std::array<float, 4> outer_corners = {0.05F, 0.05F, -0.2F, -0.2F};
  for (std::size_t i = 0; i < outer_corners.size(); ++i) {
    store_element(DType::kFloat32, input.at("locations").data(), static_cast<std::int64_t>(i),
                  outer_corners[i]);
  }
  const std::vector<double> reference = forward::compute_reference(input, 1);
  for (const Arm& arm : arms(registry)) {
    SCOPED_TRACE(arm.label);
    const auto executable = arm.kernel->unsupported(problem, cpu(), arm.parameters)
                                ? nullptr
                                : arm.kernel->prepare(problem, cpu(), arm.parameters);
    if (!executable) continue;
    const Comparison comparison = compare(rows_of(problem, forward::kTensors[forward::kOutput]),
                                          run(*executable, input), reference, nullptr, 1);
    EXPECT_LE(comparison.relative_l2, 1e-6);
  }
}

/// One point on a pixel's centre: the output is the value, rounded once.
TEST(CpuVariants, RoundOutputsToNearestEven) {
  const Registry registry(Registry::default_directories({}));
  const std::vector<float> values = {0.0F,
                                     -0.0F,
                                     1.0F,
                                     1.00048828125F,
                                     1.00146484375F,
                                     -1.00048828F,
                                     1.00390625F,
                                     1.01171875F,
                                     65504.0F,
                                     65519.0F,
                                     65520.0F,
                                     -1e6F,
                                     6.103515625e-5F,
                                     6.1e-5F,
                                     5.9604645e-8F,
                                     2.9802322e-8F,
                                     8.9406967e-8F,
                                     -3e-8F,
                                     1e-30F,
                                     3.14159274F,
                                     -2.71828175F,
                                     1e-3F,
                                     1e30F,
                                     3.4e38F};
  Problem problem;
  problem.channels = static_cast<std::int64_t>(values.size());
  problem.points = 1;
  problem.levels = {{1, 1}};
  for (const DType type : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    problem.types.output = type;
    Input input = generate(problem, {}, 1);
    Bytes expected(values.size() * size_of(type));
    store_floats(DType::kFloat32, values, input.at("value").data(), 0);
    store_floats(DType::kFloat32, std::array{0.5F, 0.5F}, input.at("locations").data(), 0);
    store_floats(DType::kFloat32, std::array{1.0F}, input.at("weights").data(), 0);
    store_floats(type, values, expected.data(), 0);
    for (const Arm& arm : arms(registry)) {
      if (arm.kernel->unsupported(problem, cpu(), arm.parameters)) continue;
      const Bytes output = run(*arm.kernel->prepare(problem, cpu(), arm.parameters), input);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        EXPECT_EQ(load_element(type, output.data(), index),
                  load_element(type, expected.data(), index))
            << arm.label << ": " << values[i] << " in " << name_of(type);
      }
    }
  }
}

/// Work is dealt out in any order, so nothing of the result may depend on who does it.
TEST(CpuVariants, GiveTheSameBitsWithAnyNumberOfThreads) {
  const Registry registry(Registry::default_directories({}));
  const Problem problem =
      make_problem({.batch = 2, .queries = 301, .heads = 3, .levels = {{9, 9}, {5, 5}}});
  const Input input = generate(problem, {}, 1);
  for (const Plugin& plugin : registry.plugins()) {
    const auto* kernel = dynamic_cast<const Kernel*>(plugin.variant.get());
    if (kernel == nullptr || !is_for_cpu(*kernel)) continue;
    const auto& specs = kernel->info().parameters;
    if (std::none_of(specs.begin(), specs.end(),
                     [](const ParameterSpec& spec) { return spec.name == "threads"; })) {
      continue;
    }
    Bytes one_thread;
    for (const std::int64_t threads : {1, 2, 7}) {
      const auto parameters = resolve_parameters(kernel->info(), {{"threads", threads}});
      const Bytes output = run(*kernel->prepare(problem, cpu(), parameters), input);
      if (threads == 1) one_thread = output;
      EXPECT_EQ(output, one_thread) << plugin.name << " with " << threads << " threads";
    }
  }
}

/// A pool that loses a wake-up or a task would hang or leave poison sooner or later.
TEST(CpuVariants, SurviveManySmallLaunches) {
  const Registry registry(Registry::default_directories({}));
  const Problem problem = make_problem({.queries = 9, .channels = 4, .levels = {{3, 3}}});
  const Input input = generate(problem, {}, 1);
  for (const Arm& arm : arms(registry)) {
    SCOPED_TRACE(arm.label);
    if (arm.kernel->unsupported(problem, cpu(), arm.parameters)) continue;
    const auto executable = arm.kernel->prepare(problem, cpu(), arm.parameters);
    const Bytes first = run(*executable, input);
    for (int i = 0; i < 50 && !HasFailure(); ++i) EXPECT_EQ(run(*executable, input), first);
  }
}

}  // namespace
}  // namespace msda
