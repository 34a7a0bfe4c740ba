#include "exported.hpp"

#include "conformance/conformance.hpp"
#include "input/input.hpp"

namespace msda::test {

ExportedKernel exported_kernel(const std::vector<std::string>& variants, const Problem& problem) {
  std::vector<Use> uses;
  std::string recipe;
  for (const std::string& variant : variants) {
    uses.push_back({variant, {}});
    recipe += (recipe.empty() ? "" : "+") + variant;
  }
  return {recipe, Composition(shipped_plugins(), uses), problem};
}

Problem preset_in_half(const std::string& name) {
  Problem problem = preset(name);
  problem.types = Types::all(DType::kFloat16);
  return problem;
}

Problem small_problem(DType type) {
  Problem problem;
  problem.name = "small";
  problem.batch = 2;
  problem.queries = 37;
  problem.heads = 2;
  problem.levels = {{17, 23}, {9, 12}};
  problem.types = Types::all(type);
  return problem;
}

const std::string& content_of(const std::vector<ExportedFile>& files, const std::string& name) {
  for (const ExportedFile& file : files) {
    if (file.path == name) return file.content;
  }
  throw Error("the export has no file " + name);
}

}  // namespace msda::test
