// Code that travels beside the source: NVRTC's, which is what experiments measure. nvcc makes other
// code of the same source, slower by up to a quarter for some compositions.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compose/level_class.hpp"
#include "device/compiled_unit.hpp"
#include "export/parts.hpp"
#include "jit/occupancy.hpp"

namespace msda {
namespace {

bool is_exact(const std::string& architecture) { return architecture.ends_with('a'); }

/// "compute_90" of "sm_90a".
std::string ptx_architecture(const std::string& architecture) {
  return fmt::format("compute_{}", capability_of(architecture));
}

bool takes(const CheckedKernel& kernel, const std::string& architecture) {
  const int capability = capability_of(architecture);
  const DeviceInfo device = compile_target(capability);
  return capability >= kernel.least_capability &&
         (kernel.most_capability == 0 || capability <= kernel.most_capability) &&
         kernel.plan.main.shared_bytes <= static_cast<std::size_t>(device.shared_bytes) &&
         !kernel.exported->composition.unsupported(kernel.exported->problem, device);
}

/// Architectures to compile a kernel for: those that take it, and where none was asked for PTX of
/// the last of them.
std::vector<std::string> architectures_for(const CheckedKernel& kernel,
                                           std::vector<std::string> wanted, bool are_asked) {
  std::erase_if(wanted, [&](const std::string& name) { return !takes(kernel, name); });
  if (wanted.empty() || are_asked) return wanted;
  wanted.push_back(ptx_architecture(*std::ranges::max_element(wanted, {}, capability_of)));
  return wanted;
}

/// As a measurement compiles it: in the namespace that all measured units have.
CodeImage make_image(const CheckedKernel& kernel, const Compiler& compiler,
                     const std::string& architecture) {
  CompiledUnit unit = {unit_of(*kernel.exported), {}};
  unit.module = compiler.compile(unit.composed.unit, architecture);
  const bool ptx = architecture.starts_with("compute_");
  // Of given sizes a measurement launches the kernel for its pyramid.
  choose_kernel(unit.composed, kernel.plan, kernel.exported->problem);
  return {architecture, unit.module.cubin, ptx ? "" : code_hash(unit)};
}

const char* kind_of(const CodeImage& image) {
  if (image.architecture.starts_with("compute_")) return "kPtx";
  return is_exact(image.architecture) ? "kExact" : "kCubin";
}

int capability_of_image(const CodeImage& image) {
  constexpr std::string_view kVirtual = "compute_";
  const bool ptx = image.architecture.starts_with(kVirtual);
  return capability_of(ptx ? "sm_" + image.architecture.substr(kVirtual.size())
                           : image.architecture);
}

/// Code of the images one after another, the same bytes once, each where a pointer to words may be.
class CodeFile {
 public:
  std::size_t add(const std::vector<std::byte>& code) {
    const std::string text(reinterpret_cast<const char*>(code.data()), code.size());
    const auto [known, is_new] = places_.try_emplace(text, data_.size());
    if (is_new)
      data_ += text + std::string((kAlignment - text.size() % kAlignment) % kAlignment, 0);
    return known->second;
  }
  std::string data() && { return std::move(data_); }

 private:
  static constexpr std::size_t kAlignment = 16;
  std::map<std::string, std::size_t> places_;
  std::string data_;
};

std::string kernel_images(const CheckedKernel& kernel, const std::string& array, CodeFile& file) {
  std::string list;
  for (const CodeImage& image : kernel.images) {
    list += fmt::format("    {{{}, msda::runtime::ImageKind::{}, {} + {}}},\n",
                        capability_of_image(image), kind_of(image), array, file.add(image.code));
  }
  return fmt::format("constexpr msda::runtime::Image {}[] = {{\n{}}};\n", images_name(kernel),
                     list);
}

}  // namespace

std::vector<std::string> usual_architectures() { return {"sm_80", "sm_90a", "sm_100", "sm_120"}; }

void add_images(const ExportRequest& request, const Compiler& compiler,
                std::vector<CheckedKernel>& kernels) {
  std::vector<std::string> wanted = request.images;
  for (const std::string& architecture : request.architectures) {
    if (std::ranges::find(wanted, architecture) == wanted.end()) wanted.push_back(architecture);
  }
  std::vector<std::pair<CheckedKernel*, std::string>> work;
  for (CheckedKernel& kernel : kernels) {
    for (std::string& name : architectures_for(kernel, wanted, !request.architectures.empty())) {
      work.emplace_back(&kernel, std::move(name));
    }
  }
  std::vector<CodeImage> made(work.size());
  make_all(request, "images", work.size(),
           [&](std::size_t i) { made[i] = make_image(*work[i].first, compiler, work[i].second); });
  for (std::size_t i = 0; i < work.size(); ++i) {
    work[i].first->images.push_back(std::move(made[i]));
  }
}

std::string images_name(const CheckedKernel& kernel) { return "images_" + kernel.space; }

std::vector<ExportedFile> image_files(const ExportRequest& request,
                                      const std::vector<CheckedKernel>& kernels) {
  const std::string array = request.name + "_code";
  CodeFile file;
  std::string tables;
  for (const CheckedKernel& kernel : kernels) {
    if (!kernel.images.empty()) tables += kernel_images(kernel, array, file);
  }
  if (tables.empty()) return {};
  std::string data = std::move(file).data();
  return {{request.name + "_images.h",
           filled("source/images.h.in", {{"NAME", request.name},
                                         {"NVRTC", nvrtc_version()},
                                         {"ARRAY", array},
                                         {"BYTES", std::to_string(data.size())},
                                         {"TABLES", tables}})},
          {request.name + "_images.h.bin", std::move(data)}};
}

}  // namespace msda
