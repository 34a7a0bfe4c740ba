// What is exported compiles with nvcc without a warning for every architecture, and does what it
// should as a library.
#include <dlfcn.h>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/external.h>
#include <msda/launch.cuh>

#include "compose/unit_writer.hpp"
#include "conformance/conformance.hpp"
#include "exported.hpp"
#include "files/temporary_directory.hpp"
#include "files/write.hpp"
#include "jit/elf.hpp"
#include "measure/device_input.hpp"
#include "measure/verify.hpp"
#include "operators/operator.hpp"
#include "process/command.hpp"

namespace msda::test {
namespace {

namespace fs = std::filesystem;

class ExportWithNvcc : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(MSDA_NVCC).empty()) GTEST_SKIP() << "no nvcc was found when this was built";
  }

  /// Writes the export, with `more` behind its source, and compiles it; what nvcc says, "" for
  /// nothing.
  std::string compile(const ExportedKernel& kernel, const std::vector<std::string>& options,
                      const std::string& more = "",
                      const std::vector<std::string>& architectures = {}) {
    ExportRequest request;
    request.kernels = {kernel};
    request.architectures = architectures;
    for (const ExportedFile& file : export_source(request, Compiler())) {
      const bool is_source = file.path.extension() == ".cu";
      write_atomically(folder_.path() / file.path, file.content + (is_source ? more : ""));
    }
    std::vector<std::string> command = {MSDA_NVCC,
                                        "-std=c++20",
                                        "--expt-relaxed-constexpr",
                                        "-Werror",
                                        "all-warnings",
                                        "-Xcompiler",
                                        "-Wall,-Wextra,-Werror,-fPIC,-fvisibility=hidden"};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back((folder_.path() / "msda_forward.cu").string());
    const CommandResult result = execute_command(command);
    return result.exit_code == 0 ? result.output : "failed: " + result.output;
  }

  /// Of those that CI names, the ones from `least` on.
  std::vector<std::string> for_all_from(int least) const {
    std::vector<std::string> options = {"-c", "-o", (folder_.path() / "all.o").string()};
    for (const char* number : {"80", "86", "89", "90a", "100", "120"}) {
      if (std::stoi(number) < least) continue;
      options.push_back(std::string("-gencode=arch=compute_") + number + ",code=sm_" + number);
    }
    return options;
  }

  TemporaryDirectory folder_;
};

TEST_F(ExportWithNvcc, CompilesForEveryArchitecture) {
  EXPECT_EQ(compile(exported_kernel({"vector-loads", "loop-unrolling", "spatial-order"},
                                    preset_in_half("rtdetr-decoder")),
                    for_all_from(80)),
            "");
}

TEST_F(ExportWithNvcc, CompilesTexturesThatAreMadeForAnAddress) {
  EXPECT_EQ(compile(exported_kernel({"vector-loads", "zero-border", "texture-fetch"},
                                    preset_in_half("rtdetr-decoder")),
                    for_all_from(80)),
            "");
}

TEST_F(ExportWithNvcc, CompilesWhatIsForHopperAndLater) {
  EXPECT_EQ(
      compile(exported_kernel({"tma-boxes"}, preset_in_half("rtdetr-decoder")), for_all_from(90)),
      "");
}

TEST_F(ExportWithNvcc, CompilesWithTheCodeThatTravelsAlong) {
  const ExportedKernel kernel =
      exported_kernel({"vector-loads", "spatial-order"}, preset_in_half("rtdetr-decoder"));
  const std::string object = (folder_.path() / "images.o").string();
  EXPECT_EQ(compile(kernel, {"-arch=sm_90a", "-c", "-o", object}, "", {"sm_90a"}), "");
  EXPECT_EQ(
      compile(kernel, {"-arch=sm_90a", "-DMSDA_FROM_SOURCE=1", "-c", "-o", object}, "", {"sm_90a"}),
      "");
}

TEST_F(ExportWithNvcc, CompilesWhateverAProblemIsCalled) {
  ExportedKernel kernel = exported_kernel({"vector-loads"}, preset_in_half("rtdetr-decoder"));
  kernel.recipe = "a \"recipe\" \\";
  kernel.problem.name = "he said \"x\" ?\?/ \\ */ @NAME@ {} %s\n#error";
  EXPECT_EQ(compile(kernel, {"-arch=sm_90a", "-c", "-o", (folder_.path() / "a.o").string()}, "",
                    {"sm_90a"}),
            "");
}

TEST_F(ExportWithNvcc, TheHostHasThePlanOfTheDevice) {
  const ExportedKernel boxes = exported_kernel({"tma-boxes"}, preset_in_half("rtdetr-decoder"));
  ExportedKernel levels = exported_kernel({}, preset_in_half("rtdetr-decoder"));
  levels.composition = Composition(shipped_plugins(), {{"smem-levels", {{"copy", "bulk"}}}});
  for (const ExportedKernel& kernel : {boxes, levels}) {
    const Module module =
        Compiler().compile(write_unit(kernel.composition, kernel.problem).unit, "sm_90a");
    const fs::path library = folder_.path() / (kernel.recipe + "plan.so");
    ASSERT_EQ(
        compile(kernel, {"-arch=sm_90a", "-shared", "-o", library.string()},
                "extern \"C\" __attribute__((visibility(\"default\"))) "
                "const msda::LaunchPlan* exported_plan() { return &forward_kernels[0].plan; }\n"),
        "");
    void* handle = dlopen(library.c_str(), RTLD_NOW);
    ASSERT_NE(handle, nullptr) << dlerror();
    const auto plan = reinterpret_cast<const LaunchPlan* (*)()>(dlsym(handle, "exported_plan"));
    ASSERT_NE(plan, nullptr);
    const auto expected = elf_symbol_bytes(module.cubin, module.plan_symbol);
    const auto* found = reinterpret_cast<const std::byte*>(plan());
    EXPECT_EQ(std::vector(found, found + sizeof(LaunchPlan)), expected) << kernel.recipe;
    dlclose(handle);
  }
}

TEST_F(ExportWithNvcc, CompilesKernelsWithoutConstantSizesGradientsAndFusedKernels) {
  const std::string object = (folder_.path() / "forms.o").string();
  for (const ExportedKernel& kernel :
       {exported_kernel({"smem-levels"}, preset_in_half("rtdetr-decoder"), LevelForm::kGiven),
        exported_kernel({"smem-levels"}, preset_in_half("rtdetr-decoder"), LevelForm::kStored),
        exported_kernel({"l2-red"}, preset_in_half("rtdetr-decoder")),
        exported_kernel({"l2-red"}, preset_in_half("rtdetr-decoder"), LevelForm::kStored),
        fused_kernel({"vector-loads", "shared-metadata"}, preset_in_half("rtdetr-decoder")),
        fused_kernel({"smem-levels"}, preset_in_half("rtdetr-decoder"), LevelForm::kStored),
        fused_kernel({"l2-red"}, preset_in_half("rtdetr-decoder"), LevelForm::kGiven)}) {
    EXPECT_EQ(compile(kernel, {"-arch=sm_90a", "-c", "-o", object}), "")
        << kernel.composition.describe();
  }
}

/// Why the library does not compute the operator fused on a problem.
std::string refusal_of_fused(const std::string& library, const Problem& problem) {
  const Composition composition(shipped_plugins(), {{"external",
                                                     {{"library", library},
                                                      {"symbol", "msda_forward_fused"},
                                                      {"signature", "msda-c-2"},
                                                      {"operator", "fused"}}}});
  try {
    open_device("cpu")->prepare(composition, problem);
  } catch (const Unsupported& error) {
    return error.what();
  }
  return "";
}

/// Different ones for the points of a row.
std::vector<double> scales_of(std::int64_t points) {
  std::vector<double> scales;
  for (std::int64_t p = 0; p < points; ++p)
    scales.push_back(0.125 * static_cast<double>(1 + p % 16));
  return scales;
}

/// Whether the library's entry is right on the CPU in every type.
void expect_right_on_the_cpu(const std::string& op, const decltype(Use::parameters)& parameters,
                             const Problem& shape = simulated_problem()) {
  const auto device = open_device("cpu");
  for (const DType type : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const Problem problem = in_type(type, shape);
    const Composition composition(shipped_plugins(), {{"external", parameters}});
    const Operator& found = find_operator(op);
    const Prepared prepared = device->prepare(composition, problem);
    Generation generation;
    generation.distribution = Distribution::kOutside;
    const Input input = found.generate(problem, generation, 0);
    DeviceInput tensors(*device, input);
    const Verdict verdict = verify(*device, *prepared.executable, composition, tensors, problem,
                                   make_truths(found, input));
    EXPECT_TRUE(verdict.right) << op << ": " << verdict.reason;
  }
}

/// An entry of a library for callers that have memory of their own.
using With = int(void* const*, const std::int64_t*, const std::int64_t*, const msda_problem*, void*,
                 void*);
With* entry_of(const fs::path& library, const char* name) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW);
  void* const entry = handle != nullptr ? ::dlsym(handle, name) : nullptr;
  if (entry == nullptr) throw Error(::dlerror());
  return reinterpret_cast<With*>(entry);
}

/// Four pixels of four channels, and a point; the host does not know the level's sizes.
msda_problem smallest_problem() {
  msda_problem problem{};
  problem.size = sizeof problem;
  problem.device = MSDA_CPU;
  problem.batch = problem.heads = problem.levels = problem.queries = problem.points = 1;
  problem.channels = problem.spatial_size = 4;
  problem.options = "";
  return problem;
}

/// Rows are NaN, and nothing is undefined.
void expect_safe_with_hostile_sizes(const fs::path& library) {
  With* const backward = entry_of(library, "msda_forward_backward_with");
  const msda_problem problem = smallest_problem();
  for (const std::int64_t size : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                  std::numeric_limits<std::int64_t>::max()}) {
    const std::int64_t shapes[] = {size, size};
    float value[16] = {}, of_value[16], point[] = {0.5F, 0.5F}, of_point[2], weight = 1, of_weight;
    float of_output[4] = {1, 1, 1, 1};
    void* const tensors[] = {value, point, &weight, of_output, of_value, of_point, &of_weight};
    EXPECT_EQ(backward(tensors, shapes, nullptr, &problem, nullptr, nullptr), 0);
    EXPECT_TRUE(std::isnan(of_weight)) << size;
  }
}

/// PyTorch's tensors without elements have no memory.
void expect_a_mask_of_pixels_alone(const fs::path& library) {
  msda_problem problem = smallest_problem();
  problem.padded = 1;
  problem.reference_coordinates = 2;
  const std::int64_t shapes[] = {2, 2};
  void* const tensors[10] = {};
  for (const char* name : {"msda_forward_fused_with", "msda_forward_fused_backward_with"}) {
    With* const entry = entry_of(library, name);
    problem.batch = 0;
    EXPECT_EQ(entry(tensors, shapes, nullptr, &problem, nullptr, nullptr), 0) << name;
    problem.batch = 1;
    EXPECT_NE(entry(tensors, shapes, nullptr, &problem, nullptr, nullptr), 0) << name;
  }
}

TEST_F(ExportWithNvcc, TheLibraryIsRightOnTheCpu) {
  const fs::path library = folder_.path() / "lib.so";
  ASSERT_EQ(compile(exported_kernel({"vector-loads"}, preset_in_half("rtdetr-decoder")),
                    {"-arch=sm_90a", "-shared", "-o", library.string(), "-Xcompiler",
                     "-fsanitize=undefined,-fno-sanitize-recover=undefined", "-lubsan"}),
            "");
  expect_safe_with_hostile_sizes(library);
  expect_a_mask_of_pixels_alone(library);
  expect_right_on_the_cpu("forward", {{"library", library.string()}});
  expect_right_on_the_cpu("backward", {{"library", library.string()},
                                       {"symbol", "msda_forward_backward"},
                                       {"signature", "msda-c-2"},
                                       {"operator", "backward"}});
  const auto expect_fused_right = [&](const Problem& problem) {
    for (const std::string op : {"fused", "fused-backward"}) {
      expect_right_on_the_cpu(
          op,
          {{"library", library.string()},
           {"symbol", op == "fused" ? "msda_forward_fused" : "msda_forward_fused_backward"},
           {"signature", "msda-c-2"},
           {"operator", op}},
          problem);
    }
  };
  for (const References& references : {References{2, 0}, References{4, 0}, References{4, 1},
                                       References{2, 2}, References{4, 1, 0.75}}) {
    Problem problem = simulated_problem();
    problem.references = references;
    expect_fused_right(problem);
    problem.padding = true;
    expect_fused_right(problem);
    problem.level_points.assign(problem.levels.size(), problem.points);
    problem.level_points.front() = 2 * problem.points;
    problem.points *= 2;
    expect_fused_right(problem);
    problem.padding = false;
    expect_fused_right(problem);
  }
  Problem scaled = simulated_problem();
  scaled.references = {4, 1, 0.75, scales_of(scaled.row_points())};
  expect_fused_right(scaled);
  scaled.padding = true;
  expect_fused_right(scaled);
  Problem even = in_type(DType::kFloat32, simulated_problem());
  even.level_points.assign(even.levels.size(), even.points);
  EXPECT_EQ(refusal_of_fused(library.string(), even), "");
  scaled.points = 128;
  scaled.references.point_scales = scales_of(scaled.row_points());
  EXPECT_THAT(refusal_of_fused(library.string(), scaled),
              testing::HasSubstr("at most 128 points of a row have parts of boxes of their own"));
}

}  // namespace
}  // namespace msda::test
