// The exported translation unit runs on the device simt and gives the bits of the composed kernel.
#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/conformance.hpp"
#include "device/compiled_unit.hpp"
#include "device/device.hpp"
#include "exported.hpp"
#include "input/input.hpp"
#include "measure/device_input.hpp"

namespace msda::test {
namespace {

/// The names of `composed` in the exported text: its own headers are empty, so that what runs is
/// the text alone.
Unit exported_unit(const ComposedUnit& composed, const std::string& source) {
  Unit unit = composed.unit;
  unit.text = source;
  for (UnitHeader& header : unit.headers) {
    if (header.path.rfind("msda/simt/host/", 0) != 0) header.text.clear();
  }
  return unit;
}

Bytes output_of(Device& device, const Composition& composition, const Problem& problem,
                const Build& build) {
  const Prepared prepared = device.load(composition, problem, build);
  Generation generation;
  generation.distribution = Distribution::kOutside;
  const Input input = composition.op().generate(problem, generation, 0);
  DeviceInput tensors(device, input);
  tensors.poison_outputs();
  prepared.executable->bind(tensors.tensors());
  prepared.executable->launch(tensors.tensors(), device.stream());
  return tensors.download_output(0);
}

/// Exports the kernel and compares with its composition.
void expect_the_same_bits(const ExportedKernel& kernel, const std::string& space) {
  const Problem& problem = kernel.problem;
  ExportRequest request;
  request.kernels = {kernel};
  const Composition& composition = request.kernels.front().composition;
  const auto files = export_source(request, Compiler());
  ComposedUnit composed = write_unit(composition, problem, space);
  composed.unit = exported_unit(composed, content_of(files, "msda_forward.cu"));
  const auto device = open_device("simt:1");
  Module module = HostCompiler().compile(composed.unit);
  const Build exported = {
      std::make_shared<CompiledUnit>(CompiledUnit{std::move(composed), std::move(module)}), {}};
  const auto expected =
      output_of(*device, composition, problem, device->compile(composition, problem));
  EXPECT_EQ(output_of(*device, composition, problem, exported), expected);
}

class ExportOnSimt : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(ExportOnSimt, GivesTheBitsOfTheComposedKernel) {
  const Problem problem = in_type(DType::kFloat16, simulated_problem());
  expect_the_same_bits(exported_kernel(GetParam(), problem), "simulated_fp16");
}

TEST(ExportOnSimtWithoutConstantSizes, GivesTheBitsOfTheComposedKernel) {
  const std::vector<std::string> levels = {"smem-levels", "shared-metadata"};
  const Problem problem = in_type(DType::kFloat16, simulated_problem());
  expect_the_same_bits(exported_kernel(levels, problem, LevelForm::kGiven), "simulated_fp16_given");
  expect_the_same_bits(exported_kernel(levels, problem, LevelForm::kStored),
                       "simulated_fp16_stored");
}

TEST(ExportOfFusedOnSimt, GivesTheBitsOfTheComposedKernel) {
  Problem problem = in_type(DType::kFloat16, simulated_problem());
  problem.references = {.coordinates = 4, .anchors = 1};
  expect_the_same_bits(fused_kernel({"shared-metadata", "vector-loads"}, problem),
                       "simulated_fp16_fused");
  expect_the_same_bits(fused_kernel({"l2-red"}, problem), "simulated_fp16_fused_backward");
}

TEST(ExportOfFusedOnSimt, GivesTheBitsWithAMaskPointsByLevelAndScales) {
  const std::vector<std::string> recipe = {"shared-metadata", "vector-loads"};
  Problem problem = in_type(DType::kFloat16, simulated_problem());
  problem.references = {.coordinates = 4, .anchors = 1};
  problem.padding = true;
  expect_the_same_bits(fused_kernel(recipe, problem), "simulated_fp16_fused");
  expect_the_same_bits(fused_kernel({"fixed-sums"}, problem), "simulated_fp16_fused_backward");
  problem.level_points.assign(problem.levels.size(), problem.points);
  problem.level_points.back() = 2 * problem.points;
  problem.points *= 2;
  expect_the_same_bits(fused_kernel(recipe, problem), "simulated_fp16_fused");
  for (std::int64_t p = 0; p < problem.row_points(); ++p) {
    problem.references.point_scales.push_back(0.125 * static_cast<double>(1 + p));
  }
  expect_the_same_bits(fused_kernel(recipe, problem), "simulated_fp16_fused");
  problem.level_points.clear();
  problem.padding = false;
  problem.references.point_scales.assign(static_cast<std::size_t>(problem.row_points()), 0.375);
  expect_the_same_bits(fused_kernel({"l2-red"}, problem), "simulated_fp16_fused_backward");
}

INSTANTIATE_TEST_SUITE_P(Recipes, ExportOnSimt,
                         testing::Values(std::vector<std::string>{},
                                         std::vector<std::string>{
                                             "corner-pair", "shared-metadata", "mixed-precision",
                                             "loop-unrolling", "work-redistribution", "smem-levels",
                                             "prefetch-query"},
                                         std::vector<std::string>{"vector-loads", "spatial-order"},
                                         std::vector<std::string>{"corner-pair", "texture-fetch"},
                                         std::vector<std::string>{"im2col"}));

}  // namespace
}  // namespace msda::test
