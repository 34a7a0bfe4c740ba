#include "exported.hpp"

#include "conformance/conformance.hpp"
#include "input/input.hpp"

namespace msda::test {

ExportedKernel exported_kernel(const std::vector<std::string>& variants, const Problem& problem,
                               LevelForm form) {
  std::vector<Use> uses;
  std::string recipe;
  for (const std::string& variant : variants) {
    uses.push_back({variant, {}});
    recipe += (recipe.empty() ? "" : "+") + variant;
  }
  if (form != LevelForm::kFixed)
    uses.push_back({kLevelsVariant, {{kSizesParameter, std::string(name_of(form))}}});
  return {recipe, Composition(shipped_plugins(), uses), problem};
}

ExportedKernel fused_kernel(const std::vector<std::string>& variants, const Problem& problem,
                            LevelForm form) {
  ExportedKernel kernel = exported_kernel(variants, problem, form);
  const bool gradients = kernel.composition.op().name() == "backward";
  kernel.composition =
      kernel.composition.computing(find_operator(gradients ? "fused-backward" : "fused"));
  return kernel;
}

Problem preset_in_half(const std::string& name) { return in_type(DType::kFloat16, preset(name)); }

const std::string& content_of(const std::vector<ExportedFile>& files, const std::string& name) {
  for (const ExportedFile& file : files) {
    if (file.path == name) return file.content;
  }
  throw Error("the export has no file " + name);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace msda::test
