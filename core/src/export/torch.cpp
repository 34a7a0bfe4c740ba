// The formats `torch` and `hub`: the source behind operators of PyTorch.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "characters.hpp"
#include "export/parts.hpp"
#include "jit/occupancy.hpp"
#include "problem/validate.hpp"
#include "version.hpp"

namespace msda {
namespace {

/// Under autocast locations come in fp32 where values are narrow: such problems get a kernel for
/// both kinds of locations, where the composition takes the wide ones.
ExportRequest with_wide_locations(const ExportRequest& request) {
  ExportRequest wide = request;
  for (const ExportedKernel& kernel : request.kernels) {
    const Types& types = kernel.problem.types;
    if (kernel.composition.op().borrows()) continue;  // offsets are as narrow as values
    if (types.value == kWidest || types != Types::all(types.value)) continue;
    ExportedKernel other = kernel;
    other.problem.name += "-wide";
    other.problem.types.location = kWidest;
    const DeviceInfo any = compile_target(known_capabilities().back());
    const DeviceInfo hopper = compile_target(90);
    const bool taken = !other.composition.unsupported(other.problem, any) ||
                       !other.composition.unsupported(other.problem, hopper);
    if (taken) wide.kernels.push_back(std::move(other));
  }
  return wide;
}

void add_package(std::vector<ExportedFile>& files, const std::filesystem::path& folder,
                 const Words& words) {
  for (const char* file : {"__init__.py", "attention.py", "autograd.py", "fused.py", "layers.py",
                           "modules.py", "norms.py", "onnx.py", "patch.py", "registration.py"}) {
    files.push_back({folder / file, filled(fmt::format("torch/package/{}", file), words)});
  }
}

/// The files of source_files() in a folder.
std::vector<ExportedFile> source_in(const std::filesystem::path& folder,
                                    const ExportRequest& request,
                                    const std::vector<CheckedKernel>& kernels) {
  std::vector<ExportedFile> files = source_files(request, kernels);
  for (ExportedFile& file : files) file.path = folder / file.path;
  return files;
}

/// "90a 80": those asked for, as nvcc's options have them.
std::string architecture_numbers(const ExportRequest& request) {
  std::string numbers;
  for (const std::string& architecture : request.architectures) {
    numbers += (numbers.empty() ? "" : " ") + architecture.substr(std::string_view("sm_").size());
  }
  return numbers;
}

/// "msda-ops" of "msda_ops".
std::string project_name(std::string package) {
  std::replace(package.begin(), package.end(), '_', '-');
  return package;
}

/// A text that may stand in a cell of Markdown.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : visible(text)) {
    if (c == '|' || c == '\\' || c == '<' || c == '`') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string kernel_table(const std::vector<CheckedKernel>& kernels) {
  std::string table =
      "| kernel | levels | heads, channels, points | types | least compute capability |\n"
      "| :--- | :--- | :--- | :--- | :--- |\n";
  for (const CheckedKernel& kernel : kernels) {
    const Problem& problem = kernel.exported->problem;
    table += fmt::format("| {} | {} | {}, {}, {} | {} | {}.{} |\n", cell(kernel.name),
                         levels_text(kernel), problem.heads, problem.channels, points_text(problem),
                         types_text(problem.types), kernel.least_capability / 10,
                         kernel.least_capability % 10);
  }
  return table;
}

bool any_images(const std::vector<CheckedKernel>& kernels) {
  return std::ranges::any_of(kernels, [](const CheckedKernel& k) { return !k.images.empty(); });
}

/// "8.0", "9.0": those of kernel-builder's list that the kernels are for.
std::vector<std::string> capability_texts(const std::vector<CheckedKernel>& kernels) {
  const int least =
      std::ranges::max(kernels, {}, &CheckedKernel::least_capability).least_capability;
  std::vector<std::string> texts;
  for (const int capability : known_capabilities()) {
    if (capability >= least) {
      texts.push_back(fmt::format("\"{}.{}\"", capability / 10, capability % 10));
    }
  }
  return texts;
}

}  // namespace

std::vector<ExportedFile> export_torch(const ExportRequest& asked, const Compiler& compiler,
                                       const std::string& package) {
  const ExportRequest request = with_wide_locations(asked);
  const auto kernels = check_kernels(request, compiler);
  const Words words = {
      {"NAME", request.name},
      {"PACKAGE", package},
      {"HUB_NAME", project_name(package)},
      {"VERSION", kVersion},
      {"KERNELS", kernel_table(kernels)},
      {"MEASURED", request.report.empty() ? "No report of a run came with this export."
                                          : "What was measured: [report.md](src/report.md)."},
      {"ARCHITECTURES", architecture_numbers(request)},
      {"NAMESPACE", package},
      {"INCLUDES", ""},
      {"DEFINE", "STABLE_TORCH_LIBRARY"},
      {"IMPLEMENT", "STABLE_TORCH_LIBRARY_IMPL"},
      {"EXTENSION", ""}};
  std::vector<ExportedFile> files = source_in("src", request, kernels);
  files.push_back({"src/ops.cpp", filled("torch/ops.cpp.in", words)});
  files.push_back({"src/fused_ops.hpp", filled("torch/fused_ops.hpp.in", words)});
  for (const std::string file : {"binding_stable.hpp", "binding_classic.hpp"}) {
    files.push_back({"src/" + file, template_text("torch/" + file)});
  }
  add_package(files, package, words);
  files.push_back({package + "/_ops.py", filled("torch/package/_ops.py", words)});
  for (const char* file :
       {"README.md", "build.py", "check.py", "pyproject.toml", "setup.py", "checks/__init__.py",
        "checks/compilers.py", "checks/fused.py", "checks/gradients.py", "checks/layouts.py",
        "checks/models.py", "checks/modules.py", "checks/norms.py", "checks/operator.py",
        "checks/peers.py", "checks/second.py", "checks/times.py", "checks/training.py"}) {
    files.push_back({file, filled(fmt::format("torch/{}", file), words)});
  }
  files.push_back({"LICENSE", licence_text()});
  return files;
}

std::vector<ExportedFile> export_hub(const ExportRequest& asked, const Compiler& compiler,
                                     const std::string& package) {
  const ExportRequest request = with_wide_locations(asked);
  const auto kernels = check_kernels(request, compiler);
  const Words words = {
      {"NAME", request.name},
      {"PACKAGE", package},
      {"HUB_NAME", project_name(package)},
      {"VERSION", kVersion},
      {"IMAGES", any_images(kernels)
                     ? fmt::format(", \"{0}_cuda/{1}_images.h\", \"{0}_cuda/{1}_images.h.bin\"",
                                   package, request.name)
                     : ""},
      {"CAPABILITIES", fmt::format("{}", fmt::join(capability_texts(kernels), ", "))},
      {"NAMESPACE", "TORCH_EXTENSION_NAME"},
      {"INCLUDES", "#include \"registration.h\"\n"},
      {"DEFINE", "STABLE_TORCH_LIBRARY_EXPAND"},
      {"IMPLEMENT", "STABLE_TORCH_LIBRARY_IMPL_EXPAND"},
      {"EXTENSION", "\nREGISTER_EXTENSION(TORCH_EXTENSION_NAME)\n"}};
  std::vector<ExportedFile> files = source_in(package + "_cuda", request, kernels);
  files.push_back({"torch-ext/torch_binding.cpp", filled("torch/ops.cpp.in", words)});
  files.push_back({"torch-ext/fused_ops.hpp", filled("torch/fused_ops.hpp.in", words)});
  files.push_back({"torch-ext/binding_stable.hpp", template_text("torch/binding_stable.hpp")});
  add_package(files, std::filesystem::path("torch-ext") / package, words);
  for (const char* file : {"build.toml", "flake.nix", "CARD.md"}) {
    files.push_back({file, filled(fmt::format("hub/{}", file), words)});
  }
  files.push_back({"tests/__init__.py", ""});
  files.push_back({"tests/test_attention.py", filled("hub/test_attention.py", words)});
  return files;
}

}  // namespace msda
