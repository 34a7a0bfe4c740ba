// The format `source`: one .cu and its header.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include <nlohmann/json.hpp>

#include "characters.hpp"
#include "export/flatten.hpp"
#include "export/parts.hpp"
#include "jit/launch_plan.hpp"
#include "json_text.hpp"

namespace msda {
namespace {

/// As a string of C++, whatever is in the text.
std::string literal(const std::string& text) {
  std::string quoted = json_text(visible(text));
  for (std::size_t at = 0; (at = quoted.find("??", at)) != std::string::npos;) {
    quoted.insert(at + 1, "\\");  // no trigraph
  }
  return quoted;
}

/// A kernel of the table by its symbol in the images and its name in the source.
std::string launchable(const std::string& symbol, const std::string& expression,
                       const PassKernel* pass = nullptr) {
  const std::string begin = fmt::format("{{\"{}\", MSDA_SOURCE({})", symbol, expression);
  if (pass == nullptr) return begin + "}";
  return fmt::format("{}, msda::{}, {}}}", begin, pass->when == kBefore ? "kBefore" : "kAfter",
                     pass->slot);
}

/// The operator's name in C++.
std::string identifier(std::string_view op) {
  std::string name(op);
  std::ranges::replace(name, '-', '_');
  return name;
}

/// What the kernel is for, as an expression: its constants are types of its namespace.
std::string shape_text(const CheckedKernel& kernel) {
  if (!kernel.exported->composition.op().borrows())
    return fmt::format("shape_of<{}::Problem>()", kernel.space);
  return fmt::format("shape_of<{0}::Problem, {0}::{1}_parameters>()", kernel.space,
                     identifier(operator_of(kernel)));
}

/// The line of the table that a kernel is.
std::string table_entry(const CheckedKernel& kernel) {
  const Problem& problem = kernel.exported->problem;
  std::vector<std::string> mains;
  std::vector<std::string> passes;
  auto symbol = kernel.symbols.begin();
  for (const std::string& main : main_kernels(kernel.composed)) {
    mains.push_back(launchable(*symbol++, main));
  }
  for (const PlannedKernel& planned : passes_of(kernel)) {
    passes.push_back(launchable(*symbol++, planned.expression, planned.pass));
  }
  const std::string images =
      kernel.images.empty() ? "" : fmt::format("{}, {}", images_name(kernel), kernel.images.size());
  return fmt::format(
      "    {{{},\n     {},\n     {},\n     {},\n     {},\n     {},\n     {},\n"
      "     {{{}}},\n     {{{}}},\n     {{{}}}}},\n",
      literal(kernel.name), shape_text(kernel), problem.batch * problem.queries, kernel.repeats,
      kernel.least_capability, kernel.most_capability, kernel.composed.constant_plan, images,
      fmt::join(mains, ", "), fmt::join(passes, ", "));
}

bool has_images(const CheckedKernel& kernel) { return !kernel.images.empty(); }

/// Whether nvcc compiles the table's kernels too. Without a word from a build it does where a
/// kernel has no image.
std::string source_switch(const ExportRequest& request, const std::vector<CheckedKernel>& kernels) {
  const bool images = std::ranges::any_of(kernels, has_images);
  const std::string text = fmt::format(
      "// 1: nvcc compiles the kernels of the table too, for devices that no image is for.\n"
      "#ifndef MSDA_FROM_SOURCE\n#define MSDA_FROM_SOURCE {}\n#endif\n"
      "#if MSDA_FROM_SOURCE\n#define MSDA_SOURCE(...) __VA_ARGS__\n#else\n"
      "#define MSDA_SOURCE(...) nullptr\n#endif\n\n",
      std::ranges::all_of(kernels, has_images) ? 0 : 1);
  return text + (images ? fmt::format("#include \"{}_images.h\"\n\n", request.name) : "");
}

/// The tables of all operators, each with an empty entry at its end.
std::string tables(const std::vector<CheckedKernel>& kernels) {
  std::string text =
      "// --- The tables "
      "---------------------------------------------------------------------------------\n\n"
      "namespace {\n\n";
  for (const std::string_view op : kExportedOperators) {
    text += fmt::format("Tuned {}_kernels[] = {{\n", identifier(op));
    for (const CheckedKernel& kernel : kernels) {
      if (operator_of(kernel) == op) text += table_entry(kernel);
    }
    text += "    {}};\n\n";
  }
  return text + "}  // namespace\n\n";
}

/// Of a launch of the C entries.
constexpr const char* kAddMaps =
    "  if (const int failed = add_maps(tuned, plan, p.batch, arguments); failed != 0) return "
    "failed;\n";
constexpr const char* kAddTextures =
    "  if (const int failed = add_textures(plan, p, arguments); failed != 0) return failed;\n";

/// Host code evaluates launch plans, and device code calls constexpr functions.
constexpr const char* kFlags =
    "#if defined(__NVCC__) && !defined(__CUDACC_RELAXED_CONSTEXPR__)\n"
    "#error \"compile with nvcc -std=c++20 --expt-relaxed-constexpr\"\n"
    "#endif\n\n";

std::string include_lines(const std::set<std::string>& includes) {
  std::string lines;
  for (const std::string& include : includes) lines += fmt::format("#include <{}>\n", include);
  return lines;
}

/// What nvcc compiles for the host: the launcher, the table, the entries.
std::string host_text(const ExportRequest& request, const std::vector<CheckedKernel>& kernels,
                      Flattener& flattener) {
  const auto any = [&](bool (*asks)(const LaunchPlan&)) {
    return std::any_of(kernels.begin(), kernels.end(),
                       [&](const CheckedKernel& kernel) { return asks(kernel.plan); });
  };
  const bool maps = any(copies_boxes);
  const bool texels = any(fetches_texels);
  std::set<std::string> includes = {
      "algorithm",      "atomic", "cmath", "cstddef", "cstdint",     "cstring", "functional",
      "cuda_runtime.h", "memory", "mutex", "thread",  "type_traits", "vector"};
  std::string launcher =
      "#include <msda/runtime/images.hpp>\n#include <msda/runtime/level_sizes.hpp>\n"
      "#include <msda/runtime/sequence.hpp>\n";
  std::string templates =
      template_text("source/launch.cuh") + "\n" + template_text("source/choose.cuh") + "\n";
  if (maps) {
    launcher += "#include <msda/runtime/tensor_maps.hpp>\n";
    templates += template_text("source/tensor_maps.cuh") + "\n";
  }
  if (texels) {
    launcher += "#include <msda/runtime/linear_textures.hpp>\n";
    templates += template_text("source/linear_textures.cuh") + "\n";
    includes.insert({"map", "tuple"});
  }
  const std::string flat = flattener.flat(launcher, launcher_headers());
  includes.insert(flattener.outside().begin(), flattener.outside().end());
  std::string general;
  for (const char* part : {"general_call", "general", "general_backward", "general_cpu", "front",
                           "front_cpu", "padding"}) {
    general += template_text(fmt::format("source/{}.cuh", part)) + "\n";
  }
  return include_lines(includes) + fmt::format("\n#include \"{}.h\"\n\n", request.name) + flat +
         general + templates + source_switch(request, kernels) + tables(kernels) +
         filled("source/entry.cuh", {{"ADD_TEXTURES", texels ? kAddTextures : ""},
                                     {"ADD_MAPS", maps ? kAddMaps : ""},
                                     {"NAME", request.name}}) +
         filled("source/backward_entry.cuh", {{"NAME", request.name}}) +
         filled("source/fused_entry.cuh", {{"NAME", request.name}}) +
         filled("source/fused_backward_entry.cuh", {{"NAME", request.name}});
}

std::string source_text(const ExportRequest& request, const std::vector<CheckedKernel>& kernels) {
  Flattener flattener;
  std::string code;
  for (const CheckedKernel& kernel : kernels) {
    code += flattener.flat(kernel.composed.unit.text, kernel.composed.unit.headers) + "\n";
  }
  std::set<std::string> includes = flattener.outside();
  includes.insert({"cuda_bf16.h", "cuda_fp16.h"});
  return provenance_comment(request, kernels) + "\n" + kFlags + include_lines(includes) + "\n" +
         code + "\n#if !defined(__CUDACC_RTC__) && !defined(MSDA_SIMT_HOST)\n\n" +
         host_text(request, kernels, flattener);
}

std::string guard_of(const std::string& name) {
  std::string guard = name + "_H";
  std::transform(guard.begin(), guard.end(), guard.begin(), [](unsigned char c) {
    return std::isalnum(c) != 0 ? static_cast<char>(std::toupper(c)) : '_';
  });
  return guard;
}

/// All kernels in one module, without host code.
std::string cubin(const ExportRequest& request, const std::vector<CheckedKernel>& kernels,
                  const std::string& source, const Compiler& compiler,
                  const std::string& architecture) {
  Unit unit;
  unit.label = request.name;
  unit.text = source;
  for (const CheckedKernel& kernel : kernels) {
    std::ranges::move(main_kernels(kernel.composed), std::back_inserter(unit.kernels));
    for (const PlannedKernel& pass : passes_of(kernel)) unit.kernels.push_back(pass.expression);
  }
  unit.plan = kernels.front().composed.unit.plan;
  const Module module = compiler.compile(unit, architecture);
  return {reinterpret_cast<const char*>(module.cubin.data()), module.cubin.size()};
}

}  // namespace

std::vector<ExportedFile> source_files(const ExportRequest& request,
                                       const std::vector<CheckedKernel>& kernels) {
  const std::string header =
      filled("source/entry.h.in", {{"PROVENANCE", provenance_comment(request, kernels)},
                                   {"GUARD", guard_of(request.name)},
                                   {"EXTERNAL", external_header()},
                                   {"NAME", request.name}});
  std::vector<ExportedFile> files = {{request.name + ".cu", source_text(request, kernels)},
                                     {request.name + ".h", header},
                                     {"export.json", provenance_json(request, kernels)}};
  std::ranges::move(image_files(request, kernels), std::back_inserter(files));
  if (!request.report.empty()) files.push_back({"report.md", request.report});
  return files;
}

std::vector<ExportedFile> export_source(const ExportRequest& request, const Compiler& compiler) {
  const std::vector<CheckedKernel> kernels = check_kernels(request, compiler);
  std::vector<ExportedFile> files = source_files(request, kernels);
  for (const std::string& architecture : request.architectures) {
    files.push_back({fmt::format("{}.{}.cubin", request.name, architecture),
                     cubin(request, kernels, files.front().content, compiler, architecture)});
  }
  return files;
}

}  // namespace msda
