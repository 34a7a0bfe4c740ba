// Level sizes as arguments, or in device memory, on the device simt: several compositions on
// several pyramids, one unit for all pyramids of a class, and sizes that are no pyramid.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compose/unit_writer.hpp"
#include "conformance/levels.hpp"
#include "input/elements.hpp"
#include "input/input.hpp"
#include "measure/device_input.hpp"

namespace msda {
namespace {

using ::testing::HasSubstr;

class LevelsOnSimt : public ::testing::TestWithParam<SimtCheck> {};

TEST_P(LevelsOnSimt, AreRightOnEveryPyramid) {
  EXPECT_EQ(run(GetParam()), "") << GetParam().composition.describe();
}

INSTANTIATE_TEST_SUITE_P(Some, LevelsOnSimt, ::testing::ValuesIn(forward_level_checks()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Backward, LevelsOnSimt, ::testing::ValuesIn(backward_level_checks()),
                         [](const auto& info) { return info.param.name; });

Problem with_pyramid(std::vector<Level> levels) {
  Problem problem;
  problem.batch = 1;
  problem.queries = 9;
  problem.heads = 2;
  problem.channels = 8;
  problem.points = 2;
  problem.levels = std::move(levels);
  return problem;
}

Composition vector_loads(LevelForm form) { return *with_levels({{"vector-loads", {}}}, form); }

TEST(Levels, OneUnitServesAllPyramidsOfAClass) {
  const auto device = open_device("simt");
  for (const LevelForm form : {LevelForm::kGiven, LevelForm::kStored}) {
    device->compile(vector_loads(form), with_pyramid({{7, 9}, {4, 5}}));
    EXPECT_TRUE(device->compile(vector_loads(form), with_pyramid({{3, 2}, {11, 6}}))
                    .compilation.from_cache);
  }
}

TEST(Levels, AnotherClassIsAnotherUnit) {
  const auto unit = [](std::vector<Level> levels) {
    return write_unit(vector_loads(LevelForm::kGiven), with_pyramid(std::move(levels))).unit.text;
  };
  EXPECT_EQ(unit({{7, 9}, {4, 5}}), unit({{3, 2}, {11, 6}}));
  EXPECT_NE(unit({{7, 9}, {4, 5}}), unit({{7, 9}, {1, 5}}));
  EXPECT_NE(unit({{7, 9}, {4, 5}}), unit({{700, 900}, {4, 5}}));
}

TEST(Levels, APolicyThatNeedsConstantsSaysWhy) {
  const auto refusal = [](const char* variant, const char* sizes) -> std::string {
    try {
      const Composition composition(
          shipped_plugins(),
          std::vector<Use>{{variant, {}},
                           {kLevelsVariant, {{kSizesParameter, std::string(sizes)}}}});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("texture", "given"),
              HasSubstr("'texture' and levels: given do not combine: a texture is an array"));
  EXPECT_THAT(refusal("precomputed-weights", "stored"), HasSubstr("its pre-pass computes taps"));
  EXPECT_EQ(refusal("precomputed-weights", "given"), "");
  EXPECT_EQ(refusal("texture", "fixed"), "");
  EXPECT_THAT(refusal("cpu-scalar", "given"), HasSubstr("'cpu-scalar' is a whole kernel"));
}

/// The outputs for an input of `problem`, computed with these sizes in device memory, in float32.
std::vector<std::vector<float>> outputs_with(const Composition& composition, const Problem& problem,
                                             std::vector<std::int64_t> shapes) {
  const auto device = open_device("simt:1:races");
  const Prepared prepared =
      device->load(composition, problem, device->compile(composition, problem));
  const Input input = composition.op().generate(problem, {}, 0);
  DeviceInput on_device(*device, input);
  Tensors tensors = on_device.tensors();
  tensors.shapes = shapes.data();
  prepared.executable->bind(tensors);
  std::vector<std::vector<float>> outputs;
  const auto specs = composition.op().tensors();
  for (const std::size_t output : composition.op().outputs()) {
    const auto bytes = static_cast<std::size_t>(bytes_of(problem, specs[output]));
    std::memset(tensors[output], 0, bytes);  // simt's memory is the host's
  }
  prepared.executable->launch(tensors, nullptr);
  for (const std::size_t output : composition.op().outputs()) {
    std::vector<float>& values =
        outputs.emplace_back(static_cast<std::size_t>(elements(problem, specs[output])));
    load_floats(type_of(problem, specs[output]), static_cast<const std::byte*>(tensors[output]), 0,
                values);
  }
  return outputs;
}

bool all_are_nan(const std::vector<float>& values) {
  return std::ranges::all_of(values, [](float value) { return std::isnan(value); });
}

void expect_nan_for_wrong_sizes(const Composition& composition) {
  const Problem problem = with_pyramid({{7, 9}, {4, 5}});
  const auto is_nan = [&](const std::vector<std::int64_t>& shapes) {
    return all_are_nan(outputs_with(composition, problem, shapes).front());
  };
  const std::int64_t huge = std::int64_t{1} << 62;
  const std::vector<std::vector<std::int64_t>> wrong = {
      {7, 9, 4, 6}, {7, 9, 4, 4}, {0, 9, 4, 5}, {-7, -9, 4, 5}, {huge, 4, huge, 4}, {83, 1, 0, 0}};
  for (const auto& shapes : wrong) EXPECT_TRUE(is_nan(shapes));
  EXPECT_FALSE(is_nan({7, 9, 4, 5}));
  EXPECT_FALSE(is_nan({4, 5, 7, 9}));
  EXPECT_FALSE(is_nan({82, 1, 1, 1}));
}

TEST(Levels, StoredSizesThatAreNoPyramidLeaveNaNAndReadNothing) {
  expect_nan_for_wrong_sizes(vector_loads(LevelForm::kStored));
}

TEST(Levels, WarpsThatReadSizesLeaveNaNWhereTheseAreNoPyramid) {
  for (const char* schedule : {"work-redistribution", "persistent"}) {
    SCOPED_TRACE(schedule);
    expect_nan_for_wrong_sizes(*with_levels(
        {{"vector-loads", {}}, {"shared-metadata", {}}, {schedule, {}}}, LevelForm::kStored));
  }
}

TEST(Levels, StoredSizesThatAreNoPyramidLeaveNoGradientANumber) {
  const std::vector<std::vector<Use>> compositions = {
      {{"float32-sums", {}}},
      {{"native-sums", {}}},
      {{"fixed-sums", {}}},
      {{"tile-sums", {}}},
      {{"native-sums", {}}, {"dependent-clear", {}}},
      {{"tile-bins", {}}},
      {{"sorted-points", {}}}};
  for (const std::vector<Use>& uses : compositions) {
    for (const DType type : {DType::kFloat32, DType::kFloat16}) {
      Problem problem = with_pyramid({{7, 9}, {4, 5}});
      problem.types = Types::all(type);
      const Composition stored = *with_levels(uses, LevelForm::kStored);
      for (const auto& output : outputs_with(stored, problem, {7, 9, 4, 6})) {
        EXPECT_TRUE(all_are_nan(output)) << stored.describe() << " " << name_of(type);
      }
      for (const auto& output : outputs_with(stored, problem, {4, 5, 7, 9})) {
        EXPECT_TRUE(std::ranges::none_of(output, [](float value) { return std::isnan(value); }));
      }
    }
  }
}

}  // namespace
}  // namespace msda
