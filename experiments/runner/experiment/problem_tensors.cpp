// Where the tensors of a problem come from: a generator, or files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/experiment/experiment.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

/// The preset whose tensors were captured in a model; they lie beside the experiments.
constexpr const char* kCapturedPreset = "captured-decoder";
constexpr const char* kCapturedFolder = "inputs/captured_decoder";

/// The tensors in the types that the files hold; those of `spec` tell two-byte types apart. How
/// boxes count is a model's constant, and no tensor of files; as many anchors as levels look in
/// files as one reference for each level does.
Input read_tensors(const ProblemSpec& spec) {
  const std::span<const TensorSpec> specs = find_operator(spec.op).tensors();
  Input input = is_raw_directory(*spec.directory, specs)
                    ? read_raw_directory(*spec.directory, specs, spec.problem)
                    : read_npy_directory(*spec.directory, specs);
  input.problem.name = spec.problem.name;
  input.problem.unasked = spec.problem.unasked;
  const std::int64_t anchors = spec.problem.references.anchors;
  if (anchors == input.problem.reference_count()) input.problem.references.anchors = anchors;
  input.problem.references.scale = spec.problem.references.scale;
  input.problem.references.point_scales = spec.problem.references.point_scales;
  return input;
}

}  // namespace

ProblemSpec preset_spec(const std::string& name, const fs::path& beside, const std::string& op) {
  ProblemSpec spec;
  spec.op = op;
  spec.problem = preset(name);
  if (name != kCapturedPreset) return spec;
  std::vector<fs::path> places = experiments_directories();
  places.insert(places.begin(), beside);
  std::vector<std::string> tried;
  for (const fs::path& place : places) {
    const fs::path candidate = place / kCapturedFolder;
    if (fs::is_directory(candidate)) {
      return directory_spec(candidate, spec.problem, op);
    }
    tried.push_back(candidate.string());
  }
  throw UsageError(fmt::format("preset '{}' needs its tensors, and there is none of: {}", name,
                               fmt::join(tried, ", ")));
}

ProblemSpec directory_spec(const fs::path& directory, const Problem& hint, const std::string& op) {
  ProblemSpec spec;
  spec.op = op;
  spec.directory = directory;
  spec.problem = hint;
  spec.problem = read_tensors(spec).problem;
  return spec;
}

Input make_input(const ProblemSpec& spec, std::uint64_t salt) {
  if (spec.directory) return convert(read_tensors(spec), spec.problem.types);
  Generation generation = spec.generation;
  generation.seed += salt;
  return find_operator(spec.op).generate(spec.problem, generation, 0);
}

}  // namespace msda
