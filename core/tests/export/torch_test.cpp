// The formats `torch` and `hub`: which files are written, and that they are whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include <nlohmann/json.hpp>

#include "exported.hpp"
#include "files/temporary_directory.hpp"
#include "files/write.hpp"
#include "process/command.hpp"
#include "version.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;
using testing::Not;

ExportRequest request_for(const std::vector<std::string>& variants, const std::string& preset) {
  ExportRequest request;
  request.kernels = {exported_kernel(variants, preset_in_half(preset))};
  request.report = "# a run\n";
  request.report_from = "models/2026-01-01";
  return request;
}

class ExportedPackage : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ExportRequest request = request_for({"vector-loads"}, "rtdetr-decoder");
    request.architectures = {"sm_90a", "sm_80"};
    torch_ = new std::vector(export_torch(request, Compiler(), "my_ops"));
    hub_ = new std::vector(export_hub(request, Compiler(), "my_ops"));
  }
  static void TearDownTestSuite() {
    delete torch_;
    delete hub_;
  }
  static std::vector<std::string> names_of(const std::vector<ExportedFile>& files) {
    std::vector<std::string> names;
    names.reserve(files.size());
    for (const ExportedFile& file : files) names.push_back(file.path);
    return names;
  }

  inline static const std::vector<ExportedFile>* torch_ = nullptr;
  inline static const std::vector<ExportedFile>* hub_ = nullptr;
};

TEST_F(ExportedPackage, TellsHowManyKernelsAndImagesAreMade) {
  ExportRequest request = request_for({"vector-loads"}, "rtdetr-decoder");
  request.architectures = {"sm_90a"};
  std::vector<std::string> told;
  request.on_progress = [&](const char* what, std::size_t done, std::size_t count) {
    told.push_back(fmt::format("{} of {} {}", done, count, what));
  };
  export_torch(request, Compiler(), "my_ops");
  // The one that was asked for, and one for wide locations.
  EXPECT_THAT(told, testing::ElementsAre("0 of 2 kernels", "1 of 2 kernels", "2 of 2 kernels",
                                         "0 of 2 images", "1 of 2 images", "2 of 2 images"));
}

TEST_F(ExportedPackage, HasTheFilesOfAnExtension) {
  EXPECT_THAT(
      names_of(*torch_),
      testing::UnorderedElementsAre(
          "LICENSE", "README.md", "build.py", "check.py", "checks/__init__.py",
          "checks/compilers.py", "checks/fused.py", "checks/gradients.py", "checks/layouts.py",
          "checks/models.py", "checks/modules.py", "checks/norms.py", "checks/operator.py",
          "checks/peers.py", "checks/second.py", "checks/times.py", "checks/training.py",
          "my_ops/__init__.py", "my_ops/_ops.py", "my_ops/attention.py", "my_ops/autograd.py",
          "my_ops/fused.py", "my_ops/layers.py", "my_ops/modules.py", "my_ops/norms.py",
          "my_ops/onnx.py", "my_ops/patch.py", "my_ops/registration.py", "pyproject.toml",
          "setup.py", "src/binding_classic.hpp", "src/binding_stable.hpp", "src/export.json",
          "src/fused_ops.hpp", "src/msda_forward.cu", "src/msda_forward.h",
          "src/msda_forward_images.h", "src/msda_forward_images.h.bin", "src/ops.cpp",
          "src/report.md"));
  EXPECT_THAT(content_of(*torch_, "LICENSE"), HasSubstr("Apache License"));
  EXPECT_THAT(content_of(*torch_, "pyproject.toml"), HasSubstr("name = \"my-ops\""));
  EXPECT_THAT(
      content_of(*torch_, "README.md"),
      HasSubstr("| vector-loads for rtdetr-decoder | 80x80 40x40 20x20 | 8, 32, 4 | fp16 |"));
}

TEST_F(ExportedPackage, HasTheFilesOfAProjectForKernelBuilder) {
  EXPECT_THAT(
      names_of(*hub_),
      testing::UnorderedElementsAre(
          "CARD.md", "build.toml", "flake.nix", "my_ops_cuda/export.json",
          "my_ops_cuda/msda_forward.cu", "my_ops_cuda/msda_forward.h",
          "my_ops_cuda/msda_forward_images.h", "my_ops_cuda/msda_forward_images.h.bin",
          "my_ops_cuda/report.md", "tests/__init__.py", "tests/test_attention.py",
          "torch-ext/binding_stable.hpp", "torch-ext/my_ops/__init__.py",
          "torch-ext/my_ops/attention.py", "torch-ext/my_ops/autograd.py",
          "torch-ext/my_ops/fused.py", "torch-ext/my_ops/layers.py", "torch-ext/my_ops/modules.py",
          "torch-ext/my_ops/norms.py", "torch-ext/my_ops/onnx.py", "torch-ext/my_ops/patch.py",
          "torch-ext/my_ops/registration.py", "torch-ext/fused_ops.hpp",
          "torch-ext/torch_binding.cpp"));
  const std::string& build = content_of(*hub_, "build.toml");
  EXPECT_THAT(build, HasSubstr("name = \"my-ops\""));
  EXPECT_THAT(build, HasSubstr("[kernel.my_ops]"));
  EXPECT_THAT(build, HasSubstr("cuda-capabilities = [\"8.0\", "));
  // kernel-builder gives each build a namespace of its own.
  EXPECT_THAT(content_of(*hub_, "torch-ext/torch_binding.cpp"),
              HasSubstr("STABLE_TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops)"));
}

/// kernel-builder builds all kernels for each capability that is listed.
TEST_F(ExportedPackage, IsForTheCapabilitiesThatAllOfItsKernelsTake) {
  ExportRequest request = request_for({"vector-loads"}, "rtdetr-decoder");
  request.kernels.push_back(exported_kernel({"tma-boxes"}, preset_in_half("rtdetr-decoder")));
  request.images = {"sm_90a"};
  EXPECT_THAT(content_of(export_hub(request, Compiler(), "my_ops"), "build.toml"),
              HasSubstr("cuda-capabilities = [\"9.0\", "));
}

TEST_F(ExportedPackage, NamesAreWhatTheyAreInATableOfMarkdown) {
  ExportRequest request = request_for({"vector-loads"}, "rtdetr-decoder");
  request.kernels[0].problem.name = R"(a|b<i>`c`\)";
  EXPECT_THAT(content_of(export_torch(request, Compiler(), "my_ops"), "README.md"),
              HasSubstr(R"(vector-loads for a\|b\<i>\`c\`)"));
}

TEST_F(ExportedPackage, HasNoWordOfATemplateLeft) {
  const std::regex word("@[A-Z_]+@");
  for (const auto* files : {torch_, hub_}) {
    for (const ExportedFile& file : *files) {
      EXPECT_FALSE(std::regex_search(file.content, word)) << file.path;
    }
  }
}

TEST_F(ExportedPackage, SaysWhereItComesFrom) {
  EXPECT_EQ(content_of(*torch_, "src/report.md"), "# a run\n");
  EXPECT_THAT(content_of(*torch_, "README.md"), HasSubstr(" | 8.0 |\n"));
  EXPECT_THAT(content_of(*torch_, "src/msda_forward.h"),
              HasSubstr(std::string("MSDA Lab ") + kVersion));
  const auto json = nlohmann::json::parse(content_of(*hub_, "my_ops_cuda/export.json"));
  EXPECT_EQ(json.at("report"), "models/2026-01-01");
  EXPECT_EQ(json.at("kernels").at(0).at("recipe"), "vector-loads");
}

TEST_F(ExportedPackage, HasAKernelForTheWideLocationsOfAutocast) {
  const auto json = nlohmann::json::parse(content_of(*torch_, "src/export.json"));
  const auto& kernels = json.at("kernels");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels.at(0).at("types"), (nlohmann::json{"fp16", "fp16", "fp16", "fp16"}));
  EXPECT_EQ(kernels.at(1).at("types"), (nlohmann::json{"fp16", "fp32", "fp16", "fp16"}));
}

TEST_F(ExportedPackage, HasNoSecondKernelOfTypesThatAreWideOrMixedAlready) {
  ExportRequest request = request_for({"vector-loads"}, "rtdetr-decoder");
  request.kernels[0].problem.types.location = kWidest;
  request.kernels.push_back(request.kernels[0]);
  request.kernels[1].problem.types = Types::all(kWidest);
  const auto files = export_torch(request, Compiler(), "my_ops");
  EXPECT_EQ(nlohmann::json::parse(content_of(files, "src/export.json")).at("kernels").size(), 2U);
}

TEST_F(ExportedPackage, IsBuiltForTheArchitecturesAskedFor) {
  EXPECT_THAT(content_of(*torch_, "build.py"), HasSubstr("ASKED = \"90a 80\".split()"));
}

TEST_F(ExportedPackage, IsPython) {
  if (std::string(MSDA_PYTHON).empty()) GTEST_SKIP() << "no python3 was found when this was built";
  const TemporaryDirectory folder;
  std::vector<std::string> command = {MSDA_PYTHON, "-W", "error", "-m", "py_compile"};
  for (const auto* files : {torch_, hub_}) {
    for (const ExportedFile& file : *files) {
      if (file.path.extension() != ".py") continue;
      const auto copy = folder.path() / std::to_string(command.size()) += ".py";
      write_atomically(copy, file.content);
      command.push_back(copy);
    }
  }
  ASSERT_GT(command.size(), 10U);
  const CommandResult result = execute_command(command);
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST_F(ExportedPackage, SaysWhatItNeedsWherePyTorchIsMissing) {
  if (std::string(MSDA_PYTHON).empty()) GTEST_SKIP() << "no python3 was found when this was built";
  const TemporaryDirectory folder;
  write_atomically(folder.path() / "torch.py", "raise ImportError('there is none')\n");
  for (const std::string name : {"build.py", "check.py"}) {
    write_atomically(folder.path() / name, content_of(*torch_, name));
    const CommandResult result = execute_command({MSDA_PYTHON, folder.path() / name, "--help"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.output, HasSubstr(name + ": needs PyTorch 2.1 or newer"));
    EXPECT_THAT(result.output, Not(HasSubstr("Traceback")));
  }
}

TEST(ExportedOperator, MakesTensorMapsForTheAddressesOfACall) {
  const auto source = [](const char* variant) {
    const ExportRequest request = request_for({variant}, "rtdetr-decoder");
    return content_of(export_torch(request, Compiler(), "my_ops"), "src/" + request.name + ".cu");
  };
  EXPECT_THAT(source("tma-boxes"), HasSubstr("add_maps(tuned, plan, p.batch, arguments)"));
  EXPECT_THAT(source("vector-loads"), Not(HasSubstr("add_maps")));
}

}  // namespace
}  // namespace msda::test
