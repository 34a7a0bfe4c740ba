// The problems of an experiment file, and where their tensors come from.
#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "input/limits.hpp"
#include "problem/tensor_names.hpp"
#include "problem/validate.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/experiment/settings.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

/// Products of sizes that leave 63 bits are refused by validate().
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;
/// The preset whose tensors were captured in a model; they lie beside the experiments.
constexpr const char* kCapturedPreset = "captured-decoder";
constexpr const char* kCapturedFolder = "inputs/captured_decoder";
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kSweep = "sweep";
/// More problems than an experiment runs are a mistake in a list.
constexpr std::size_t kMostSwept = 1000;
/// Of keys that a preset or an input brings.
constexpr const char* kRequiredAlone = "required without a preset or an input";

Form<std::int64_t> size() {
  Form<std::int64_t> form = form::integer<std::int64_t>(1, kLargestSize);
  form.words = "an integer from 1";
  return form;
}

Level parse_level(const YamlNode& node) {
  const std::vector<YamlNode> sizes = node.as_list("size");
  if (sizes.size() != 2) {
    node.fail(fmt::format("a level is [height, width], not a list of {}", sizes.size()));
  }
  Level level;
  size().read(sizes[0], level.height);
  size().read(sizes[1], level.width);
  return level;
}

Form<std::vector<Level>> levels() {
  Form<std::vector<Level>> form;
  form.words = "`[[height, width], ...]`";
  form.schema = form::list_of("", form::list_of("", size().schema, 2).schema).schema;
  form.schema["items"]["maxItems"] = 2;
  form.schema["maxItems"] = kMaxLevels;
  form.read = [](const YamlNode& node, std::vector<Level>& levels) {
    levels.clear();
    for (const YamlNode& entry : node.as_list("level")) levels.push_back(parse_level(entry));
  };
  form.write = [](const std::vector<Level>&) { return std::string(); };
  return form;
}

const Settings<Types>& type_settings() {
  const Form<DType> type = form::name<DType>();
  static const Settings<Types> settings{
      setting("value", &Types::value, type, "of the values, which the kernels gather"),
      setting("location", &Types::location, type, "of the sampling locations"),
      setting("weight", &Types::weight, type, "of the attention weights"),
      setting("output", &Types::output, type, "of the result")};
  return settings;
}

/// One type for all tensors, or a map that changes some.
Form<Types> types() {
  const Form<DType> one = form::name<DType>();
  const std::string words = one.words + " for all tensors, or a map of the next table";
  return {form::any_of(words, {one.schema, object_schema(type_settings().keys())}),
          [=](const YamlNode& node, Types& types) {
            if (node.is_map()) return type_settings().read(node.as_map(), types);
            DType all{};
            one.read(node, all);
            types = Types::all(all);
          },
          [](const Types& types) { return fmt::format("`{}`", name_of(types.value)); }};
}

const Settings<Problem>& shape_settings() {
  static const Settings<Problem> settings{
      setting("batch", &Problem::batch, size(), "images"),
      setting("queries", &Problem::queries, size(), "of each image").otherwise(kRequiredAlone),
      setting("heads", &Problem::heads, size(), "of attention"),
      setting("channels", &Problem::channels, size(), "of each head"),
      setting("points", &Problem::points, size(), "sampled on each level for each head and query"),
      setting("levels", &Problem::levels, levels(), "sizes in pixels, without any border")
          .otherwise(kRequiredAlone),
      setting("layout", &Problem::layout, form::name<ValueLayout>(),
              "how the levels lie in `value`")};
  return settings;
}

/// Of tensors that are made; see docs/problems.md.
const Settings<Generation>& generation_settings() {
  using G = Generation;
  static const Settings<G> settings{
      setting("distribution", &G::distribution, form::name<Distribution>(),
              "[where](problems.md#generated-inputs) generated points lie"),
      setting("query_order", &G::query_order, form::name<QueryOrder>(),
              "`shuffled`: neighbouring queries lie anywhere in the image"),
      setting("sigma", &G::sigma, form::number(0, kInfinity),
              "`local`, `clustered`: standard deviation of the offsets in pixels"),
      setting("outside_share", &G::outside_share, form::number(0, 1),
              "`outside`: share of the points beyond the image"),
      setting("objects", &G::objects, form::integer<std::int64_t>(1, kMostObjects),
              "`clustered`: how many objects the queries gather around"),
      setting("seed", &G::seed, form::integer<std::uint64_t>(0), "of generated tensors")};
  return settings;
}

/// A problem while its map is read.
struct ProblemReader {
  ProblemSpec spec;
  fs::path beside;  ///< where relative directories start
  bool has_base = false;
};

void read_preset(const YamlNode& node, ProblemReader& reader) {
  reader.spec = node.locate([&] { return preset_spec(node.as_text(), reader.beside); });
  reader.has_base = true;
}

void read_input(const YamlNode& node, ProblemReader& reader) {
  if (reader.has_base) node.fail("give either 'preset' or 'input', not both");
  reader.has_base = true;
  const fs::path directory = node.as_text();
  fs::path& place = reader.spec.directory.emplace(
      directory.is_absolute() ? directory : (reader.beside / directory).lexically_normal());
  std::error_code error;
  if (!fs::is_directory(place, error)) {
    node.fail(fmt::format("input directory '{}' does not exist (looked for {})",
                          shortened(directory.string()), shortened(place.string())));
  }
  // A trailing slash leaves no file name of its own.
  reader.spec.problem.name =
      (directory.has_filename() ? directory : directory.parent_path()).filename().string();
}

const Settings<ProblemReader>& base_settings() {
  using R = ProblemReader;
  static const Settings<R> settings{
      setting<R>("preset", {"a [preset](problems.md#presets)", {{"enum", preset_names()}}},
                 "what the map starts from", read_preset),
      setting<R>("input", form::text("a directory"),
                 "[tensors](problems.md#inputs-from-files) to start from, beside this file",
                 read_input),
      setting<R>(
          "name", form::label(), "label in tables",
          [](const YamlNode& node, R& reader) { reader.spec.problem.name = parse_label(node); })
          .otherwise("the preset's or the directory's; required without these"),
      setting<R>(
          "types", types(), "how the tensors are stored",
          [](const YamlNode& node, R& reader) { types().read(node, reader.spec.problem.types); })
          .otherwise("`fp32`, or as the input's files have them")};
  return settings;
}

void refuse_keys(const YamlMap& map, const Keys& keys) {
  const std::vector<std::string> names = names_of(keys);
  for (const YamlMap::Entry& entry : map.entries()) {
    if (std::find(names.begin(), names.end(), entry.key) == names.end()) continue;
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
  refuse_keys(map, generation_settings().keys());
  if (!is_raw_directory(*spec.directory)) refuse_keys(map, shape_settings().keys());
  spec = map.owner().locate([&] { return directory_spec(*spec.directory, spec.problem); });
  if (const auto node = map.find("types")) types().read(*node, spec.problem.types);
}

/// The keys of one problem.
Keys problem_keys() {
  return joined(joined(base_settings().keys(), shape_settings().keys()),
                generation_settings().keys());
}

/// Of a map whose keys are those of a problem.
ProblemSpec parse_problem_map(const YamlMap& map, const fs::path& beside) {
  ProblemReader reader{{}, beside};
  base_settings().read_known(map, reader);
  ProblemSpec& spec = reader.spec;
  if (!reader.has_base) {
    for (const char* key : {"name", "queries", "levels"}) map.require(key);
  }
  shape_settings().read_known(map, spec.problem);
  if (spec.directory) {
    take_shape_from_files(map, spec);
  } else {
    generation_settings().read_known(map, spec.generation);
  }
  map.owner().locate([&] { validate(spec.problem); });
  return std::move(spec);
}

/// A key with the values that it takes in turn.
struct Swept {
  YamlMap::Entry key;
  std::vector<YamlNode> values;
};

/// `levels` is no word that a name could end in, and a name in common would be that of all.
Keys swept_keys() {
  Keys keys = problem_keys();
  std::erase_if(keys, [](const Key& key) { return key.name == "levels" || key.name == "name"; });
  return keys;
}

Key sweep_key() {
  nlohmann::json properties = nlohmann::json::object();
  for (const Key& key : swept_keys()) properties[key.name] = form::list_of("", key.schema).schema;
  return {.name = kSweep,
          .words = "`{key: [values]}` of the keys above but `name` and `levels`",
          .meaning = "a problem for [each combination](#sweeps) of the values",
          .standard = "",
          .schema = {{"type", "object"},
                     {"properties", std::move(properties)},
                     {"additionalProperties", false},
                     {"minProperties", 1}}};
}

/// True of keys that name the problem themselves.
bool names_problem(const std::string& key) { return key == "preset" || key == "input"; }

/// Throws at a value that is there already, in whatever way it is written.
void refuse_equal_values(const YamlMap::Entry& key, const std::vector<YamlNode>& values) {
  UniqueNames seen("value of " + key.key);
  for (const YamlNode& value : values) {
    seen.add(names_problem(key.key) ? value.as_text() : value.as_canonical_text(), value.place());
  }
}

std::vector<Swept> parse_sweep(const YamlNode& node, const YamlMap& problem) {
  const YamlMap sweep = node.as_map();
  sweep.allow_only(names_of(swept_keys()));
  if (sweep.entries().empty()) node.fail("'sweep' names no key");
  std::vector<Swept> all;
  std::size_t count = 1;
  for (const YamlMap::Entry& entry : sweep.entries()) {
    if (problem.find(entry.key)) {
      throw UsageError(fmt::format("{}: key '{}' stands beside 'sweep' too; which is meant?",
                                   to_string(entry.place), entry.key));
    }
    all.push_back({entry, entry.value.as_list(entry.key)});
    refuse_equal_values(entry, all.back().values);
    count *= all.back().values.size();
    if (count > kMostSwept) node.fail(fmt::format("this makes more than {} problems", kMostSwept));
  }
  return all;
}

/// What a value adds to the name of its problem.
std::string label_of(const YamlNode& value) {
  return parse_label(YamlNode(YAML::Node(value.as_canonical_text()), value.name(), value.place()));
}

/// Calls `action` with the map that each combination of values comes to, and with what it adds to
/// the name: "-8-fp16". The last key changes fastest.
template <class Action>
void for_each_combination(const YamlMap& problem, const std::vector<Swept>& swept,
                          const Action& action) {
  std::vector<std::size_t> at(swept.size(), 0);
  for (;;) {
    std::vector<YamlMap::Entry> entries;
    for (const YamlMap::Entry& entry : problem.entries()) {
      if (entry.key != kSweep) entries.push_back(entry);
    }
    std::string suffix;
    for (std::size_t i = 0; i < swept.size(); ++i) {
      const YamlNode& value = swept[i].values[at[i]];
      entries.push_back({swept[i].key.key, swept[i].key.place, value});
      if (!names_problem(swept[i].key.key)) suffix += "-" + label_of(value);
    }
    action(YamlMap(problem.owner(), std::move(entries)), suffix);
    std::size_t turning = swept.size();
    while (turning > 0 && ++at[turning - 1] == swept[turning - 1].values.size()) at[--turning] = 0;
    if (turning == 0) return;
  }
}

}  // namespace

Keys keys::type() { return type_settings().keys(); }

Keys keys::problem() { return joined(problem_keys(), {sweep_key()}); }

ProblemSpec parse_problem(const YamlNode& node, const fs::path& beside) {
  if (!node.is_scalar()) {
    const YamlMap map = node.as_map();
    map.allow_only(names_of(problem_keys()));
    return parse_problem_map(map, beside);
  }
  const std::string name = node.as_text();
  return node.locate([&] { return preset_spec(name, beside); });
}

std::vector<ProblemSpec> parse_problems(const YamlNode& node, const fs::path& beside) {
  if (node.is_scalar()) return {parse_problem(node, beside)};
  const YamlMap map = node.as_map();
  map.allow_only(names_of(keys::problem()));
  const auto sweep = map.find(kSweep);
  if (!sweep) return {parse_problem_map(map, beside)};
  std::vector<ProblemSpec> problems;
  for_each_combination(map, parse_sweep(*sweep, map),
                       [&](const YamlMap& one, const std::string& suffix) {
                         problems.push_back(parse_problem_map(one, beside));
                         problems.back().problem.name += suffix;
                       });
  return problems;
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
