// The formats `torch` and `hub`: the source behind an operator of PyTorch.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "export/parts.hpp"
#include "jit/occupancy.hpp"
#include "version.hpp"

namespace msda {
namespace {

/// Under autocast locations come in fp32 where values are narrow: such problems get a kernel for
/// both kinds of locations, where the composition takes the wide ones.
ExportRequest with_wide_locations(const ExportRequest& request) {
  ExportRequest wide = request;
  for (const ExportedKernel& kernel : request.kernels) {
    const Types& types = kernel.problem.types;
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
  for (const char* file : {"__init__.py", "attention.py", "layers.py", "patch.py"}) {
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
  const Words words = {{"NAME", request.name},
                       {"PACKAGE", package},
                       {"ARCHITECTURES", architecture_numbers(request)},
                       {"NAMESPACE", package},
                       {"INCLUDES", ""},
                       {"DEFINE", "STABLE_TORCH_LIBRARY"},
                       {"IMPLEMENT", "STABLE_TORCH_LIBRARY_IMPL"},
                       {"EXTENSION", ""}};
  std::vector<ExportedFile> files = source_in("src", request, kernels);
  files.push_back({"src/ops.cpp", filled("torch/ops.cpp.in", words)});
  add_package(files, package, words);
  files.push_back({package + "/_ops.py", filled("torch/package/_ops.py", words)});
  for (const char* file : {"build.py", "check.py"}) {
    files.push_back({file, filled(fmt::format("torch/{}", file), words)});
  }
  return files;
}

std::vector<ExportedFile> export_hub(const ExportRequest& asked, const Compiler& compiler,
                                     const std::string& package) {
  const ExportRequest request = with_wide_locations(asked);
  const auto kernels = check_kernels(request, compiler);
  std::string hub_name = package;
  std::replace(hub_name.begin(), hub_name.end(), '_', '-');
  const Words words = {
      {"NAME", request.name},
      {"PACKAGE", package},
      {"HUB_NAME", hub_name},
      {"VERSION", kVersion},
      {"CAPABILITIES", fmt::format("{}", fmt::join(capability_texts(kernels), ", "))},
      {"NAMESPACE", "TORCH_EXTENSION_NAME"},
      {"INCLUDES", "#include \"registration.h\"\n"},
      {"DEFINE", "STABLE_TORCH_LIBRARY_EXPAND"},
      {"IMPLEMENT", "STABLE_TORCH_LIBRARY_IMPL_EXPAND"},
      {"EXTENSION", "\nREGISTER_EXTENSION(TORCH_EXTENSION_NAME)\n"}};
  std::vector<ExportedFile> files = source_in(package + "_cuda", request, kernels);
  files.push_back({"torch-ext/torch_binding.cpp", filled("torch/ops.cpp.in", words)});
  add_package(files, std::filesystem::path("torch-ext") / package, words);
  for (const char* file : {"build.toml", "flake.nix", "CARD.md"}) {
    files.push_back({file, filled(fmt::format("hub/{}", file), words)});
  }
  files.push_back({"tests/__init__.py", ""});
  files.push_back({"tests/test_attention.py", filled("hub/test_attention.py", words)});
  return files;
}

}  // namespace msda
