// The format `source`: what is written, what is refused, and that the run-time compiler takes it.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compose/unit_writer.hpp"
#include "conformance/conformance.hpp"
#include "device/compiled_unit.hpp"
#include "export/flatten.hpp"
#include "exported.hpp"
#include "jit/launch_plan.hpp"
#include "jit/occupancy.hpp"
#include "version.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<ExportedFile> exported(ExportedKernel kernel,
                                   std::vector<std::string> architectures = {}) {
  ExportRequest request;
  request.kernels.push_back(std::move(kernel));
  request.architectures = std::move(architectures);
  return export_source(request, Compiler());
}

template <class Exception>
std::string refusal(ExportedKernel kernel, std::vector<std::string> architectures = {}) {
  try {
    exported(std::move(kernel), std::move(architectures));
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

TEST(Flattening, PutsEachHeaderBeforeItsFirstUserAndOnce) {
  const std::vector<UnitHeader> headers = {
      {"a.cuh", "#pragma once\n#include <b.cuh>\n#include <cuda_fp16.h>\nint a = b;\n"},
      {"b.cuh", "#pragma once\n#include <msda/simt/host/b.cuh>\nint b;\n"},
      {"msda/simt/host/b.cuh", "int host;\n"},
      {"unused.cuh", "int unused;\n"}};
  Flattener flattener;
  const std::string first =
      flattener.flat("#include <a.cuh>\n#include <b.cuh>\nint c = a;\n", headers);
  EXPECT_LT(first.find("int b;"), first.find("int a = b;"));
  EXPECT_LT(first.find("int a = b;"), first.find("int c = a;"));
  EXPECT_EQ(count(first, "int b;"), 1U);
  EXPECT_THAT(first, HasSubstr("#include <msda/simt/host/b.cuh>\n"));
  EXPECT_THAT(first, Not(HasSubstr("#pragma once")));
  EXPECT_THAT(first, Not(HasSubstr("unused")));
  EXPECT_THAT(flattener.outside(), testing::ElementsAre("cuda_fp16.h"));
  EXPECT_EQ(flattener.flat("#include <a.cuh>\nint d;\n", headers), "int d;\n");
}

TEST(ExportedSource, IncludesNothingOfOurs) {
  const auto files = exported(exported_kernel({"vector-loads"}, preset_in_half("rtdetr-decoder")));
  const std::string& source = content_of(files, "msda_forward.cu");
  EXPECT_EQ(count(source, "#include <msda/"), count(source, "#include <msda/simt/host/"));
  EXPECT_EQ(count(source, "@"), 0U) << "a word of a template is not filled in";
  EXPECT_EQ(count(content_of(files, "msda_forward.h"), "@"), 0U);
}

/// Lines of a header that an export takes: all but includes and those that are empty.
std::vector<std::string> lines_of(const std::filesystem::path& header) {
  std::vector<std::string> lines;
  std::ifstream stream(header);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.front() != '#') lines.push_back(line);
  }
  return lines;
}

TEST(ExportedSource, IsLaunchedByTheHeadersThatLaunchCompositions) {
  ExportRequest request;
  request.kernels = {exported_kernel({"tma-boxes"}, preset_in_half("rtdetr-decoder")),
                     exported_kernel({"vector-loads", "zero-border", "texture-fetch"},
                                     preset_in_half("rtdetr-decoder"))};
  const auto files = export_source(request, Compiler());
  const std::string& source = content_of(files, "msda_forward.cu");
  std::size_t headers = 0;
  const auto folder = std::filesystem::path(MSDA_SOURCE_DIR) / "core/runtime/msda/runtime";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++headers;
    std::size_t at = source.find("--- msda/runtime/" + entry.path().filename().string());
    ASSERT_NE(at, std::string::npos) << entry.path();
    for (const std::string& line : lines_of(entry.path())) {
      at = source.find("\n" + line + "\n", at);
      ASSERT_NE(at, std::string::npos) << entry.path() << ": " << line;
    }
  }
  EXPECT_EQ(headers, count(source, "--- msda/runtime/"));
}

TEST(ExportedSource, SaysWhereItComesFrom) {
  ExportRequest request;
  request.kernels = {
      exported_kernel({"vector-loads", "loop-unrolling"}, preset_in_half("rtdetr-decoder"))};
  request.report = "# a run\n";
  request.report_from = "models/2026-01-01";
  const auto files = export_source(request, Compiler());
  const std::string& source = content_of(files, "msda_forward.cu");
  EXPECT_THAT(source, HasSubstr(std::string("MSDA Lab ") + kVersion));
  EXPECT_THAT(source, HasSubstr("Apache-2.0"));
  EXPECT_THAT(source, HasSubstr("report.md, of models/2026-01-01"));
  EXPECT_EQ(content_of(files, "report.md"), "# a run\n");
  const auto json = nlohmann::json::parse(content_of(files, "export.json"));
  const auto& kernel = json.at("kernels").at(0);
  EXPECT_EQ(kernel.at("recipe"), "vector-loads+loop-unrolling");
  EXPECT_EQ(kernel.at("plugins").size(), 2U);
  EXPECT_EQ(kernel.at("least_capability"), 80);
}

TEST(ExportedSource, NamesDoNotEndItsCommentOrHideInIt) {
  ExportRequest request;
  request.kernels = {exported_kernel({"vector-loads"}, preset_in_half("rtdetr-decoder"))};
  request.kernels[0].problem.name = "a\"*/\n#error\u202e";
  request.report_from = "runs/*/x\u202e\xff";
  const auto files = export_source(request, Compiler());
  for (const char* file : {"msda_forward.cu", "msda_forward.h"}) {
    const std::string& source = content_of(files, file);
    EXPECT_THAT(source, HasSubstr(R"(report.md, of runs/ * /x\u202e\xff)"));
    EXPECT_THAT(source, Not(HasSubstr("#error\u202e")));
    EXPECT_THAT(source, Not(HasSubstr("\u202e")));
  }
}

TEST(ExportedSource, HoldsOneKernelForEachProblem) {
  ExportRequest request;
  request.kernels = {exported_kernel({"vector-loads"}, preset_in_half("rtdetr-decoder")),
                     exported_kernel({"thread-per-channel"}, preset_in_half("rtdetr-decoder"))};
  const auto files = export_source(request, Compiler());
  const std::string& source = content_of(files, "msda_forward.cu");
  EXPECT_THAT(source, HasSubstr("namespace rtdetr_decoder_fp16 {"));
  EXPECT_THAT(source, HasSubstr("namespace rtdetr_decoder_fp16_2 {"));
  EXPECT_EQ(count(source, "--- msda/skeleton/direct.cuh"), 1U);
}

TEST(ExportedSource, ANamespaceBeginsWithALetterWhateverTheProblemIsCalled) {
  ExportedKernel kernel = exported_kernel({"vector-loads"}, preset_in_half("rtdetr-decoder"));
  kernel.problem.name = "3 levels";
  EXPECT_THAT(content_of(exported(kernel), "msda_forward.cu"),
              HasSubstr("namespace problem_3_levels_fp16 {"));
}

TEST(ExportedSource, IsCompiledAheadOfTime) {
  const auto files =
      exported(exported_kernel({"vector-loads", "spatial-order"}, preset_in_half("rtdetr-decoder")),
               {"sm_80", "sm_90a"});
  for (const char* name : {"msda_forward.sm_80.cubin", "msda_forward.sm_90a.cubin"}) {
    EXPECT_EQ(content_of(files, name).substr(1, 3), "ELF") << name;
  }
}

TEST(ExportedSource, CarriesTheCodeThatIsMeasured) {
  const ExportedKernel kernel =
      exported_kernel({"vector-loads", "spatial-order"}, preset_in_half("rtdetr-decoder"));
  const auto files = exported(kernel, {"sm_90a"});
  const auto json = nlohmann::json::parse(content_of(files, "export.json"));
  const auto& images = json.at("kernels").at(0).at("images");
  ASSERT_EQ(images.size(), 1U);
  EXPECT_EQ(images.at(0).at("architecture"), "sm_90a");

  const Compiler compiler;
  const Build measured =
      compile_unit(compiler, kernel.composition, kernel.problem, compile_target(90));
  EXPECT_EQ(images.at(0).at("code_hash"), code_hash(*measured.unit));
  CompiledUnit carried = *measured.unit;
  const std::string& data = content_of(files, "msda_forward_images.h.bin");
  const auto* code = reinterpret_cast<const std::byte*>(data.data());
  carried.module.cubin.assign(code, code + data.size());
  EXPECT_EQ(code_hash(carried), code_hash(*measured.unit));
  const std::string& source = content_of(files, "msda_forward.cu");
  EXPECT_THAT(source, HasSubstr("#include \"msda_forward_images.h\""));
  const auto is_named = [&](const std::string& kernel) {
    const std::string& symbol = measured.unit->module.kernels.at(kernel).symbol;
    return count(source, "{\"" + symbol + "\", MSDA_SOURCE(") == 1;
  };
  const CompiledUnit& unit = *measured.unit;
  for (const PlannedKernel& planned : kernels_of(unit.composed, read_plan(unit.module)))
    EXPECT_TRUE(is_named(planned.expression)) << planned.name;
  EXPECT_GT(count(source, ", msda::kBefore, "), 0U);  // the order of queries
}

TEST(ExportedSource, CarriesAKernelForEachNumberOfLevelsOnTheChip) {
  ExportedKernel kernel =
      exported_kernel({"smem-levels"}, preset_in_half("rtdetr-decoder"), LevelForm::kGiven);
  const auto files = exported(kernel, {"sm_90a"});
  const auto json = nlohmann::json::parse(content_of(files, "export.json")).at("kernels").at(0);
  EXPECT_EQ(json.at("form"), "given");
  const Build measured =
      compile_unit(Compiler(), kernel.composition, kernel.problem, compile_target(90));
  EXPECT_EQ(json.at("images").at(0).at("code_hash"), code_hash(*measured.unit));
  const std::string& source = content_of(files, "msda_forward.cu");
  for (const std::string& name : measured.unit->composed.sized_kernels) {
    const std::string& symbol = measured.unit->module.kernels.at(name).symbol;
    EXPECT_EQ(count(source, "{\"" + symbol + "\", MSDA_SOURCE("), 1U) << name;
  }
}

TEST(ExportedSource, HoldsOneKernelForAllPyramidsOfAClass) {
  ExportRequest request;
  for (const LevelForm form : {LevelForm::kFixed, LevelForm::kGiven, LevelForm::kStored}) {
    for (const char* preset : {"ddetr-decoder", "ddetr-encoder"}) {
      request.kernels.push_back(exported_kernel({"vector-loads"}, preset_in_half(preset), form));
      request.kernels.push_back(exported_kernel({"shared-fixed"}, preset_in_half(preset), form));
    }
  }
  const auto json =
      nlohmann::json::parse(content_of(export_source(request, Compiler()), "export.json"));
  std::vector<std::string> forms;
  for (const auto& kernel : json.at("kernels")) forms.push_back(kernel.at("form"));
  EXPECT_THAT(forms, testing::ElementsAre("fixed", "fixed", "fixed", "fixed", "given", "given",
                                          "stored", "stored"));
}

TEST(ExportedSource, HoldsGradientsInATableOfTheirOwn) {
  ExportRequest request;
  request.kernels = {exported_kernel({"vector-loads"}, preset_in_half("rtdetr-decoder")),
                     exported_kernel({"l2-red"}, preset_in_half("rtdetr-decoder")),
                     exported_kernel({"fixed-sums"}, preset_in_half("rtdetr-decoder"))};
  const auto files = export_source(request, Compiler());
  const std::string& source = content_of(files, "msda_forward.cu");
  const std::size_t forward = source.find("Tuned forward_kernels[] = {");
  const std::size_t backward = source.find("Tuned backward_kernels[] = {");
  const std::size_t gradients = source.find("\"l2-red for rtdetr-decoder\"");
  ASSERT_NE(gradients, std::string::npos);
  EXPECT_LT(forward, source.find("\"vector-loads for rtdetr-decoder\""));
  EXPECT_LT(backward, gradients);
  const auto json = nlohmann::json::parse(content_of(files, "export.json")).at("kernels");
  EXPECT_EQ(json.at(1).at("operator"), "backward");
  EXPECT_EQ(json.at(1).at("repeats"), false);
  EXPECT_EQ(json.at(2).at("repeats"), true);
}

TEST(ExportedSource, HoldsFusedKernelsInATableThatKnowsTheirReferencePoints) {
  Problem problem = preset_in_half("rtdetr-decoder");
  problem.references = {.coordinates = 4, .anchors = 1};
  ExportRequest request;
  request.kernels = {exported_kernel({"vector-loads"}, problem),
                     fused_kernel({"vector-loads"}, problem)};
  request.images = {"sm_90a"};
  const auto files = export_source(request, Compiler());
  const std::string& source = content_of(files, "msda_forward.cu");
  const std::size_t table = source.find("Tuned fused_kernels[] = {");
  const std::size_t kernel = source.find("\"vector-loads for rtdetr-decoder, fused\"");
  ASSERT_NE(kernel, std::string::npos);
  EXPECT_LT(table, kernel);
  EXPECT_LT(source.find("\"vector-loads for rtdetr-decoder\""), table);
  EXPECT_EQ(count(source,
                  "shape_of<rtdetr_decoder_fp16_fused::Problem, "
                  "rtdetr_decoder_fp16_fused::fused_parameters>()"),
            1U);
  const auto json = nlohmann::json::parse(content_of(files, "export.json")).at("kernels");
  EXPECT_EQ(json.at(1).at("operator"), "fused");
  EXPECT_EQ(json.at(1).at("references").at("coordinates"), 4);
  const Build measured =
      compile_unit(Compiler(), request.kernels.at(1).composition, problem, compile_target(90));
  EXPECT_EQ(json.at(1).at("images").at(0).at("code_hash"), code_hash(*measured.unit));
}

TEST(ExportedSource, SaysWhatAKernelIsForBesideItsSizes) {
  Problem problem = preset_in_half("rtdetr-decoder");
  problem.references = {4, 1, 0.5, {0.25, 0.5, 0.75, 1}};
  problem.padding = true;
  problem.level_points = {1, 2, 1};
  problem.points = 2;
  ExportRequest request;
  request.kernels = {fused_kernel({"vector-loads"}, problem)};
  const auto files = export_source(request, Compiler());
  const auto json = nlohmann::json::parse(content_of(files, "export.json")).at("kernels").at(0);
  EXPECT_TRUE(json.at("padded") == true && json.at("level_points") == nlohmann::json({1, 2, 1}));
  EXPECT_EQ(json.at("references").at("box_parts"), nlohmann::json({0.125, 0.25, 0.375, 0.5}));
}

TEST(ExportedSource, RefusesWhatIsNoComposition) {
  EXPECT_THAT(
      refusal<UsageError>(exported_kernel({"cpu-scalar"}, preset_in_half("rtdetr-decoder"))),
      HasSubstr("'cpu-scalar' is a whole kernel of its plugin, for cpu"));
  EXPECT_THAT(refusal<UsageError>(exported_kernel({"staging-copy"}, preset_in_half("ledger-48"))),
              HasSubstr("computes the operator 'copy'"));
}

TEST(ExportedSource, RefusesWhatNeedsMoreOfTheHost) {
  EXPECT_THAT(refusal<Unsupported>(exported_kernel({"texture"}, preset_in_half("rtdetr-decoder"))),
              HasSubstr("textures"));
  EXPECT_THAT(
      refusal<Unsupported>(exported_kernel({"l2-persist"}, preset_in_half("rtdetr-decoder"))),
      HasSubstr("limit of the whole device"));
}

TEST(ExportedSource, IsForEarlierDevicesWhereLevelsComeByTma) {
  ExportedKernel kernel = exported_kernel({}, preset_in_half("rtdetr-decoder"));
  kernel.composition = Composition(shipped_plugins(), {{"smem-levels", {{"copy", "bulk"}}}});
  const auto json = nlohmann::json::parse(content_of(exported(kernel, {"sm_80"}), "export.json"));
  EXPECT_EQ(json.at("kernels").at(0).at("least_capability"), 80);
}

TEST(ExportedSource, CarriesTheLaunchOfCopiesByTmaAlone) {
  const ExportedKernel boxes = exported_kernel({"tma-boxes"}, preset_in_half("rtdetr-decoder"));
  const auto json = nlohmann::json::parse(content_of(exported(boxes), "export.json"));
  EXPECT_EQ(json.at("kernels").at(0).at("least_capability"), 90);
  EXPECT_THAT(refusal<Unsupported>(boxes, {"sm_90a", "sm_80"}),
              HasSubstr("on sm_80: TMA or shared memory make its launch one for compute "
                        "capability 9.0"));
}

TEST(ExportedSource, RefusesAProblemThatNoGpuTakesInTheVariantsWords) {
  EXPECT_THAT(refusal<Unsupported>(exported_kernel({"mixed-precision"}, simulated_problem())),
              testing::AllOf(HasSubstr("fp32"), HasSubstr("there is no 16-bit blend"),
                             testing::Not(HasSubstr("error:"))));
}

TEST(ExportedSource, RefusesAnArchitectureThatARecipeIsNotFor) {
  EXPECT_THAT(
      refusal<Unsupported>(exported_kernel({"distributed-smem"}, preset_in_half("rtdetr-decoder")),
                           {"sm_90a", "sm_80"}),
      HasSubstr("on sm_80: "));
  EXPECT_THAT(refusal<UsageError>(
                  exported_kernel({"vector-loads"}, preset_in_half("rtdetr-decoder")), {"sm_75"}),
              HasSubstr("no architecture 'sm_75'"));
}

}  // namespace
}  // namespace msda::test
