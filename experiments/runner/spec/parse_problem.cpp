#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "problem/validate.hpp"
#include "runner/spec/parse.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
/// The preset whose tensors were captured in a model; they lie beside the experiments.
constexpr const char* kCapturedPreset = "captured-decoder";
constexpr const char* kCapturedFolder = "inputs/captured_decoder";
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const std::vector<std::string>& shape_keys() {
  static const std::vector<std::string> keys = {"batch",  "queries", "heads", "channels",
                                                "points", "levels",  "layout"};
  return keys;
}

const std::vector<std::string>& generation_keys() {
  static const std::vector<std::string> keys = {"distribution", "sigma", "outside_share", "objects",
                                                "seed"};
  return keys;
}

std::vector<Level> parse_levels(const YamlNode& node) {
  std::vector<Level> levels;
  for (const YamlNode& entry : node.as_list("level")) {
    const std::vector<YamlNode> sizes = entry.as_list("size");
    if (sizes.size() != 2) {
      entry.fail(fmt::format("a level is [height, width], not a list of {}", sizes.size()));
    }
    levels.push_back({sizes[0].as_integer(1, kLargest), sizes[1].as_integer(1, kLargest)});
  }
  return levels;
}

void parse_shape(const YamlMap& map, Problem& problem) {
  const auto integer = [&](const char* key, std::int64_t& field) {
    if (const auto node = map.find(key)) field = node->as_integer(1, kLargest);
  };
  integer("batch", problem.batch);
  integer("queries", problem.queries);
  integer("heads", problem.heads);
  integer("channels", problem.channels);
  integer("points", problem.points);
  if (const auto node = map.find("levels")) problem.levels = parse_levels(*node);
  if (const auto node = map.find("layout")) {
    problem.layout = node->locate([&] { return parse_layout(node->as_text()); });
  }
}

DType parse_dtype_node(const YamlNode& node) {
  const std::string text = node.as_text();
  return node.locate([&] { return parse_dtype(text); });
}

/// One name for all tensors, or a map that changes some.
Types parse_types(const YamlNode& node, Types types) {
  if (!node.is_map()) return Types::all(parse_dtype_node(node));
  const YamlMap map = node.as_map();
  map.allow_only({"value", "location", "weight", "output"});
  const auto member = [&](const char* key, DType& field) {
    if (const auto entry = map.find(key)) field = parse_dtype_node(*entry);
  };
  member("value", types.value);
  member("location", types.location);
  member("weight", types.weight);
  member("output", types.output);
  return types;
}

Generation parse_generation(const YamlMap& map) {
  Generation generation;
  if (const auto node = map.find("distribution")) {
    const std::string text = node->as_text();
    generation.distribution = node->locate([&] { return parse_distribution(text); });
  }
  if (const auto node = map.find("sigma")) generation.sigma = node->as_number(0, kInfinity);
  if (const auto node = map.find("outside_share")) generation.outside_share = node->as_number(0, 1);
  if (const auto node = map.find("objects")) generation.objects = node->as_integer(1, kLargest);
  if (const auto node = map.find("seed")) {
    generation.seed = static_cast<std::uint64_t>(node->as_integer(0, kLargest));
  }
  return generation;
}

void refuse_keys(const YamlMap& map, const std::vector<std::string>& keys) {
  for (const YamlMap::Entry& entry : map.entries()) {
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) continue;
    throw UsageError(fmt::format("{}: key '{}' does not apply to tensors that are read from files",
                                 to_string(entry.place), entry.key));
  }
}

/// The tensors in the types that the files hold; those of `spec` tell two-byte types apart.
Input read_tensors(const ProblemSpec& spec) {
  Input input = is_raw_directory(*spec.directory)
                    ? read_raw_directory(*spec.directory, spec.problem)
                    : read_npy_directory(*spec.directory);
  input.problem.name = spec.problem.name;
  return input;
}

/// Fills in the shape and types that the files of `spec.directory` have, by reading them.
void take_shape_from_files(const YamlMap& map, ProblemSpec& spec) {
  refuse_keys(map, generation_keys());
  if (!is_raw_directory(*spec.directory)) refuse_keys(map, shape_keys());
  spec = map.owner().locate([&] { return directory_spec(*spec.directory, spec.problem); });
}

ProblemSpec parse_input(const YamlNode& node, const fs::path& beside) {
  ProblemSpec spec;
  const fs::path directory = node.as_text();
  spec.directory = directory.is_absolute() ? directory : (beside / directory).lexically_normal();
  if (!fs::is_directory(*spec.directory)) {
    node.fail(fmt::format("input directory '{}' does not exist (looked for {})", directory.string(),
                          spec.directory->string()));
  }
  // A trailing slash leaves no file name of its own.
  spec.problem.name =
      (directory.has_filename() ? directory : directory.parent_path()).filename().string();
  return spec;
}

/// What the map starts from: a preset, a directory, or the bare shape that it must spell out.
ProblemSpec parse_base(const YamlMap& map, const fs::path& beside) {
  const auto preset = map.find("preset");
  const auto input = map.find("input");
  if (preset && input) input->fail("give either 'preset' or 'input', not both");
  if (preset) {
    const std::string name = preset->as_text();
    return preset->locate([&] { return preset_spec(name, beside); });
  }
  if (input) return parse_input(*input, beside);
  for (const char* key : {"name", "queries", "levels"}) map.require(key);
  return {};
}

ProblemSpec parse_problem_map(const YamlMap& map, const fs::path& beside) {
  std::vector<std::string> known = {"name", "preset", "input", "types"};
  known.insert(known.end(), shape_keys().begin(), shape_keys().end());
  known.insert(known.end(), generation_keys().begin(), generation_keys().end());
  map.allow_only(known);
  ProblemSpec spec = parse_base(map, beside);
  if (const auto node = map.find("name")) spec.problem.name = parse_label(*node);
  parse_shape(map, spec.problem);
  const auto types = map.find("types");
  if (types) spec.problem.types = parse_types(*types, spec.problem.types);
  if (spec.directory) {
    take_shape_from_files(map, spec);
    if (types) spec.problem.types = parse_types(*types, spec.problem.types);
  } else {
    spec.generation = parse_generation(map);
  }
  map.owner().locate([&] { validate(spec.problem); });
  return spec;
}

}  // namespace

ProblemSpec parse_problem(const YamlNode& node, const fs::path& beside) {
  if (!node.is_scalar()) return parse_problem_map(node.as_map(), beside);
  const std::string name = node.as_text();
  return node.locate([&] { return preset_spec(name, beside); });
}

ProblemSpec preset_spec(const std::string& name, const fs::path& beside) {
  ProblemSpec spec;
  spec.problem = preset(name);
  if (name != kCapturedPreset) return spec;
  std::vector<fs::path> places = experiments_directories();
  places.insert(places.begin(), beside);
  std::vector<std::string> tried;
  for (const fs::path& place : places) {
    const fs::path candidate = place / kCapturedFolder;
    if (fs::is_directory(candidate)) {
      return directory_spec(candidate, spec.problem);
    }
    tried.push_back(candidate.string());
  }
  throw UsageError(fmt::format("preset '{}' needs its tensors, and there is none of: {}", name,
                               fmt::join(tried, ", ")));
}

ProblemSpec directory_spec(const fs::path& directory, const Problem& hint) {
  ProblemSpec spec;
  spec.directory = directory;
  spec.problem = hint;
  spec.problem = read_tensors(spec).problem;
  return spec;
}

Input make_input(const ProblemSpec& spec, std::uint64_t salt) {
  if (spec.directory) return convert(read_tensors(spec), spec.problem.types);
  Generation generation = spec.generation;
  generation.seed += salt;
  return generate(spec.problem, generation);
}

}  // namespace msda
