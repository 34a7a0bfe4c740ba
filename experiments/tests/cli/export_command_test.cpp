// `msda export` as its users see it: what it writes, and what it says of bad input.
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "files/read.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ExportCommand : public testing::Test {
 protected:
  /// msda export with the words behind it, into output().
  Outcome run_export(std::vector<std::string> words) const {
    words.insert(words.begin(), "export");
    words.insert(words.end(), {"--output", output()});
    return run(words);
  }
  /// What it says, once it has failed so and written nothing.
  std::string complaint(std::vector<std::string> words, int exit_code) const {
    const Outcome outcome = run_export(std::move(words));
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_FALSE(fs::exists(output())) << outcome.out;
    return outcome.err;
  }
  /// What is said of a model that is not known.
  static std::string complaint_of_model(const std::string& model) {
    const Outcome outcome = run({"export", "vector-loads", "--for", model});
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  }
  fs::path output() const { return folder_.path() / "out"; }

  TemporaryDirectory folder_;
};

TEST_F(ExportCommand, WritesSourceAndSaysWhatToDoNext) {
  const Outcome outcome =
      run_export({"vector-loads", "--problem", "rtdetr-decoder", "--arch", "sm_90a,sm_80"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("nvcc -std=c++20"));
  for (const char* name :
       {"msda_forward.cu", "msda_forward.h", "export.json", "msda_forward_images.h",
        "msda_forward_images.h.bin", "msda_forward.sm_80.cubin", "msda_forward.sm_90a.cubin"}) {
    EXPECT_TRUE(fs::exists(output() / name)) << name;
  }
}

TEST_F(ExportCommand, SaysWhichSourcesAndWhichWordsMadeIt) {
  const fs::path report = folder_.write("report.md", "");
  ASSERT_EQ(run_export({"vector-loads", "--problem", "preset=rtdetr-decoder dtype=bf16", "--report",
                        report})
                .exit_code,
            0);
  const auto json = nlohmann::json::parse(read_text(output() / "export.json"));
  EXPECT_THAT(run({"--version"}).out, HasSubstr("(" + json.at("commit").get<std::string>() + ")"));
  EXPECT_EQ(json.at("command"),
            "msda export vector-loads --problem 'preset=rtdetr-decoder dtype=bf16'");
}

TEST_F(ExportCommand, TakesProblemsAndRecipesOfFiles) {
  const auto file = folder_.write("mine.yaml",
                                  "recipes: {mine: [vector-loads, loop-unrolling]}\n"
                                  "problems: [{preset: rtdetr-decoder, types: bf16}]\n"
                                  "arms: [mine]\n");
  const auto report = folder_.write("report.md", "# measured\n");
  const Outcome outcome =
      run_export({"mine", "--recipes", file, "--problem", file, "--report", report});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string source = read_text(output() / "msda_forward.cu", 1 << 24);
  EXPECT_THAT(source, HasSubstr("rtdetr_decoder_bf16"));
  EXPECT_THAT(source, HasSubstr("loop-unrolling"));
  EXPECT_EQ(read_text(output() / "report.md", 1 << 20), "# measured\n");
}

/// Of the kernels in export.json.
std::vector<std::string> values_of(const fs::path& folder, const char* key) {
  std::vector<std::string> values;
  const auto json = nlohmann::json::parse(read_text(folder / "export.json", 1 << 20));
  for (const auto& kernel : json.at("kernels")) values.push_back(kernel.at(key));
  return values;
}

TEST_F(ExportCommand, FindsTheWinnerOfEachProblemForAModelOfGpu) {
  const Outcome outcome = run_export({"best", "--problem", "ddetr-decoder", "--problem",
                                      "preset=rtdetr-decoder batch=8", "--device-model", "h200"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("best for ddetr-decoder (fp16) on NVIDIA H200: exactly this "
                                     "shape, on this model"));
  EXPECT_THAT(values_of(output(), "recipe"), testing::ElementsAre("best", "best"));
  EXPECT_THAT(values_of(output(), "problem"),
              testing::ElementsAre("ddetr-decoder", "rtdetr-decoder"));
  const auto compositions = values_of(output(), "composition");
  EXPECT_NE(compositions[0], compositions[1]);
}

TEST_F(ExportCommand, NamesTheModelsOfGpuThatHaveWinners) {
  EXPECT_THAT(complaint({"best", "--problem", "ddetr-decoder", "--device-model", "tpu"}, 2),
              testing::AllOf(HasSubstr("no winner was found on a 'tpu'"), HasSubstr("NVIDIA H200"),
                             HasSubstr("NVIDIA H100")));
}

TEST_F(ExportCommand, TakesAProblemInWords) {
  const Outcome outcome = run_export({"vector-loads", "batch=1", "num_query=300", "num_heads=8",
                                      "levels=16x20,8x10", "num_points=4", "name=mine"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(read_text(output() / "export.json", 1 << 20));
  const auto& kernel = json.at("kernels").at(0);
  EXPECT_EQ(kernel.at("problem"), "mine");
  EXPECT_EQ(kernel.at("levels"), (nlohmann::json{{16, 20}, {8, 10}}));
  EXPECT_EQ(kernel.at("types").at(0), "fp16");
}

TEST_F(ExportCommand, RefusesAPlaceThatCannotBeWrittenBeforeItCompiles) {
  const Outcome outcome =
      run({"export", "vector-loads", "--problem", "rtdetr-decoder", "--output", "/proc/x"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err.find("msda: cannot write into the directory /proc/x: "), 0U) << outcome.err;
}

TEST_F(ExportCommand, RefusesWordsThatAreNoProblem) {
  EXPECT_THAT(complaint({"vector-loads", "batch=1", "quries=3", "levels=4x4"}, 2),
              HasSubstr("unknown key 'quries'"));
}

TEST_F(ExportCommand, ExportsWhatAModelNeeds) {
  const Outcome outcome = run_export({"vector-loads", "--for", "rt-detr", "--gradients", "none"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(
      values_of(output(), "problem"),
      testing::ElementsAre("rtdetr-decoder-fp16", "rtdetr-decoder-bf16", "rtdetr-decoder-fp32",
                           "rtdetr-decoder-fp16", "rtdetr-decoder-bf16", "rtdetr-decoder-fp32"));
  EXPECT_THAT(values_of(output(), "operator"),
              testing::ElementsAre("forward", "forward", "forward", "fused", "fused", "fused"));
  EXPECT_THAT(complaint_of_model("rtdetr"),
              HasSubstr("no model 'rtdetr' (did you mean 'rt-detr'?)"));
}

/// Transformers' Deformable DETR gives its attentions a mask in each call.
TEST_F(ExportCommand, ExportsKernelsThatReadTheMaskOfModelsThatPad) {
  const Outcome outcome = run_export(
      {"vector-loads", "--for", "deformable-detr", "--levels", "given", "--dtype", "fp16"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(read_text(output() / "export.json", 1 << 24));
  std::multiset<std::string> found;
  for (const auto& kernel : json.at("kernels")) {
    found.insert(fmt::format("{}{}", std::string(kernel.at("operator")),
                             kernel.at("padded") == true ? ", padded" : ""));
  }
  EXPECT_GE(found.count("fused, padded"), 1U);
  EXPECT_GE(found.count("fused"), 1U);
  EXPECT_GE(found.count("fused-backward"), 1U);
}

TEST_F(ExportCommand, ExportsNoPaddedKernelsOfAnOperatorWithoutAMask) {
  const Outcome outcome = run_export({"vector-loads", "--for", "mask2former", "--operator",
                                      "forward", "--levels", "given", "--gradients", "none"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(values_of(output(), "operator"), testing::Each("forward"));
  const Outcome none =
      run({"export", "vector-loads", "--problem", "preset=mask2former operator=fused padding=true",
           "--operator", "forward", "--output", folder_.path() / "none"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("--operator forward: it has no mask for padded problems"));
}

TEST_F(ExportCommand, ExportsGradientsOfPaddedProblemsAndOfPointsByLevel) {
  const Outcome outcome = run_export(
      {"vector-loads", "--problem",
       "preset=rtdetr-decoder operator=fused points=3,6,3 padding=true", "--gradients", "l2-red"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(values_of(output(), "operator"), testing::ElementsAre("fused", "fused-backward"));
  const std::string source = read_text(output() / "msda_forward.cu", 1 << 24);
  EXPECT_THAT(source, HasSubstr("_fused_backward::fused_backward_parameters>()"));
}

TEST_F(ExportCommand, ExportsEachFormOfLevelSizes) {
  const Outcome outcome = run_export({"vector-loads", "--problem", "rtdetr-decoder", "--levels",
                                      "fixed,given,stored", "--gradients", "none"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(values_of(output(), "form"), testing::ElementsAre("fixed", "given", "stored"));
}

TEST_F(ExportCommand, SaysWhichFormARecipeDoesNotHave) {
  const Outcome outcome = run_export({"tma-boxes", "--problem", "rtdetr-decoder", "--levels",
                                      "fixed,given", "--gradients", "none"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(values_of(output(), "form"), testing::ElementsAre("fixed"));
  EXPECT_THAT(outcome.out, HasSubstr("no kernel of 'tma-boxes' for given sizes: "));
}

TEST_F(ExportCommand, ExportsGradientsByRecipesOfTheirOwn) {
  const Outcome outcome = run_export({"vector-loads", "--problem", "rtdetr-decoder", "--levels",
                                      "fixed", "--gradients", "gradients-plain"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(values_of(output(), "operator"), testing::ElementsAre("forward", "backward"));
  EXPECT_THAT(values_of(output(), "recipe"),
              testing::ElementsAre("vector-loads", "gradients-plain"));
}

TEST_F(ExportCommand, ExportsTheFusedOperatorByRecipesOfForward) {
  const Outcome outcome =
      run_export({"best", "--operator", "forward,fused", "--problem", "ddetr-decoder",
                  "--device-model", "h200", "--gradients", "gradients-plain"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("best for ddetr-decoder (fp16, fused) on NVIDIA H200: "));
  EXPECT_THAT(values_of(output(), "operator"),
              testing::ElementsAre("forward", "backward", "fused", "fused-backward"));
  const std::string source = read_text(output() / "msda_forward.cu", 1 << 24);
  EXPECT_THAT(source, HasSubstr("shape_of<ddetr_decoder_fp16_fused::Problem, "
                                "ddetr_decoder_fp16_fused::fused_parameters>()"));
  EXPECT_THAT(source, HasSubstr("ddetr_decoder_fp16_fused_backward::fused_backward_parameters>()"));
}

TEST_F(ExportCommand, RefusesOperatorsThatItsKernelsDoNotCompute) {
  EXPECT_THAT(complaint({"vector-loads", "--problem", "rtdetr-decoder", "--operator", "copy"}, 2),
              HasSubstr("--operator copy: forward, and operators that its kernels compute too"));
  EXPECT_THAT(complaint({"cpu-fused", "--problem", "rtdetr-decoder", "--operator", "fussed"}, 2),
              HasSubstr("did you mean 'fused'?"));
  EXPECT_THAT(complaint({"l2-red", "--problem", "rtdetr-decoder", "--operator", "fused"}, 2),
              HasSubstr("it computes the operator 'backward', and the problem asks for 'fused'"));
}

TEST_F(ExportCommand, RefusesToExportOfAProblemWhatComputesAnotherOperator) {
  EXPECT_THAT(complaint({"vector-loads", "operator=backward", "levels=8x10", "num_query=5"}, 2),
              HasSubstr("it computes the operator 'forward', and the problem asks for 'backward'"));
  EXPECT_THAT(complaint({"vector-loads", "--problem", "rtdetr-decoder", "--operator", ""}, 2),
              HasSubstr("--operator is empty"));
}

TEST_F(ExportCommand, QuotesTheFolderInTheNextStep) {
  const std::string folder = (folder_.path() / "with space").string();
  const Outcome outcome = run({"export", "vector-loads", "--problem", "rtdetr-decoder", "--arch",
                               "none", "--output", folder});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("'" + folder + "/msda_forward.cu'"));
}

TEST_F(ExportCommand, RefusesFormsAndGradientsThatAreNone) {
  EXPECT_THAT(
      complaint({"vector-loads", "--problem", "rtdetr-decoder", "--levels", "given,kept"}, 2),
      HasSubstr("--levels given,kept: a list of fixed, given and stored, each once"));
  EXPECT_THAT(
      complaint({"vector-loads", "--problem", "rtdetr-decoder", "--gradients", "gradients-fst"}, 2),
      HasSubstr("no variant 'gradients-fst'"));
  const auto gradients = [&](const std::string& none) {
    return complaint({"vector-loads", "--problem", "rtdetr-decoder", "--gradients", none}, 2);
  };
  EXPECT_THAT(gradients(""), HasSubstr("--gradients is empty, as of a variable of the shell"));
  EXPECT_THAT(gradients("none,gradients-plain"),
              HasSubstr("--gradients 'none,gradients-plain': give recipes, best, or none alone"));
}

TEST_F(ExportCommand, WritesOverNothingUnlessForced) {
  fs::create_directories(output());
  const fs::path mine = output() / "msda_forward.cu";
  folder_.write("out/msda_forward.cu", "mine");
  const std::vector<std::string> words = {"vector-loads", "--problem", "rtdetr-decoder"};
  const Outcome refused = run_export(words);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("holds files already; give another directory, or --force"));
  EXPECT_EQ(read_text(mine, 1 << 20), "mine");
  auto forced = words;
  forced.push_back("--force");
  EXPECT_EQ(run_export(forced).exit_code, 0);
  EXPECT_NE(read_text(mine, 1 << 24), "mine");
  const Outcome of_file =
      run({"export", "vector-loads", "--problem", "rtdetr-decoder", "--output", mine.string()});
  EXPECT_THAT(of_file.err, HasSubstr("is a file; give a directory"));
}

TEST_F(ExportCommand, WantsAProblemForEachRecipe) {
  EXPECT_THAT(complaint({"vector-loads"}, 2), HasSubstr("no problem is given"));
  EXPECT_THAT(
      complaint({"vector-loads", "vector-loads", "--problem", "rtdetr-decoder"}, 2),
      HasSubstr("2 recipes for 1 problems: give one for all, or one for each in their order"));
}

TEST_F(ExportCommand, SuggestsWhatANameMayMean) {
  EXPECT_THAT(complaint({"vector-load", "--problem", "rtdetr-decoder"}, 2),
              HasSubstr("(did you mean 'vector-loads'?)"));
  EXPECT_THAT(complaint({"vector-loads", "--problem", "rtdetr-decodr"}, 2),
              HasSubstr("rtdetr-decoder"));
  EXPECT_THAT(
      complaint({"vector-loads", "--problem", "rtdetr-decoder", "--format", "sorce"}, 2),
      HasSubstr("no format 'sorce' (did you mean 'source'?); there are: source, torch, hub"));
}

TEST_F(ExportCommand, RefusesWhatIsNoComposition) {
  EXPECT_THAT(complaint({"cpu-scalar", "--problem", "rtdetr-decoder"}, 2),
              HasSubstr("'cpu-scalar' is a whole kernel of its plugin, for cpu"));
}

TEST_F(ExportCommand, RefusesArchitecturesAndNamesThatAreNone) {
  for (const char* word : {"hopper", "sm_75", "sm_", "90"}) {
    EXPECT_THAT(complaint({"vector-loads", "--problem", "rtdetr-decoder", "--arch", word}, 2),
                HasSubstr("no architecture '" + std::string(word) + "'"));
  }
  EXPECT_THAT(complaint({"vector-loads", "--problem", "rtdetr-decoder", "--name", "9lives"}, 2),
              HasSubstr("--name '9lives' is no identifier"));
  EXPECT_THAT(complaint({"vector-loads", "--problem", "rtdetr-decoder", "--dtype", "fp8"}, 2),
              HasSubstr("fp8"));
}

TEST_F(ExportCommand, SaysOnATerminalHowFarItIs) {
  const Outcome outcome = run_script(
      "command -v script >/dev/null || exit 77; export msda; script -qec '\"$msda\" export "
      "vector-loads --problem rtdetr-decoder --output out' /dev/null",
      folder_.path());
  if (outcome.exit_code == 77) GTEST_SKIP() << "no program that makes a terminal";
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("  compiled 1 of 1 kernels, "));
}

TEST_F(ExportCommand, RefusesNamesThatOthersHave) {
  const auto refused = [&](const char* format, const char* name) {
    return complaint(
        {"vector-loads", "--problem", "rtdetr-decoder", "--format", format, "--name", name}, 2);
  };
  EXPECT_THAT(refused("source", "int"), HasSubstr("--name 'int' is a name of C++; give another"));
  for (const char* type : {"msda_problem", "msda_query_entry", "msda_type", "MSDA_FP32"}) {
    EXPECT_THAT(refused("source", type),
                HasSubstr(std::string(type) + "' is a name of the export's own header; give"));
  }
  EXPECT_THAT(refused("torch", "import"), HasSubstr("'import' is a name of Python;"));
  EXPECT_THAT(refused("torch", "__init__"), HasSubstr("'__init__' is a name of Python;"));
  EXPECT_THAT(refused("hub", "zoneinfo"), HasSubstr("a name of Python's standard library;"));
  EXPECT_THAT(refused("torch", "torch"), HasSubstr("'torch' is a name of another package;"));
  EXPECT_THAT(refused("torch", "checks"), HasSubstr("a name of another file of the export;"));
}

TEST_F(ExportCommand, AModelOfGpuIsRefusedWhereNothingIsBest) {
  EXPECT_THAT(complaint({"vector-loads", "--problem", "rtdetr-decoder", "--arch", "none",
                         "--device-model", "h200"},
                        2),
              HasSubstr("export: --device-model is the GPU that 'best' is for, and no recipe "));
}

TEST_F(ExportCommand, NamesFilesThatCannotBeReadOrWritten) {
  EXPECT_THAT(complaint({"vector-loads", "--problem", "nowhere.yaml"}, 2),
              HasSubstr("nowhere.yaml"));
  EXPECT_THAT(
      complaint({"vector-loads", "--problem", "rtdetr-decoder", "--report", "nowhere.md"}, 2),
      HasSubstr("nowhere.md"));
  folder_.write("file", "in the way");
  const Outcome outcome = run({"export", "vector-loads", "--problem", "rtdetr-decoder", "--output",
                               folder_.path() / "file" / "out"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("file/out: Not a directory"));
}

}  // namespace
}  // namespace msda::test
