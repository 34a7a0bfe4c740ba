// The problems of an experiment file.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "input/input.hpp"
#include "input/limits.hpp"
#include "problem/tensor_names.hpp"
#include "problem/validate.hpp"
#include "runner/experiment/outputs.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/experiment/pyramid.hpp"
#include "runner/experiment/settings.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Of keys that a preset or an input brings.
constexpr const char* kRequiredAlone = "required without a preset or an input";

Level parse_level(const YamlNode& node) {
  const std::vector<YamlNode> sizes = node.as_list("size");
  if (sizes.size() != 2) {
    node.fail(fmt::format("a level is [height, width], not a list of {}", sizes.size()));
  }
  Level level;
  size_form().read(sizes[0], level.height);
  size_form().read(sizes[1], level.width);
  return level;
}

Form<std::vector<Level>> levels() {
  Form<std::vector<Level>> form;
  form.words = "`[[height, width], ...]`, or `92x160,46x80,...`";
  nlohmann::json list = form::list_of("", form::list_of("", size_form().schema, 2).schema).schema;
  list["items"]["maxItems"] = 2;
  list["maxItems"] = kMaxLevels;
  const nlohmann::json text = {{"type", "string"}, {"pattern", "^[0-9]+x[0-9]+(,[0-9]+x[0-9]+)*$"}};
  form.schema = form::any_of("", {list, text}).schema;
  form.read = [](const YamlNode& node, std::vector<Level>& levels) {
    if (node.is_scalar()) {
      levels = node.locate([&] { return parse_level_list(node.as_text()); });
      return;
    }
    levels.clear();
    for (const YamlNode& entry : node.as_list("level")) levels.push_back(parse_level(entry));
  };
  form.write = [](const std::vector<Level>&) { return std::string(); };
  return form;
}

/// The same number on each level, or one for each.
Shape points() {
  Shape shape = form::any_of(size_form().words + ", or one for each level: `[3, 6, 3]`, `3,6,3`",
                             {size_form().schema,
                              form::list_of("", size_form().schema).schema,
                              {{"type", "string"}, {"pattern", "^[0-9]+(,[0-9]+)+$"}}});
  return shape;
}

void read_points(const YamlNode& node, Problem& problem) {
  problem.level_points.clear();
  if (!node.is_scalar()) {
    for (const YamlNode& entry : node.as_list("number of points")) {
      size_form().read(entry, problem.level_points.emplace_back());
    }
  } else if (node.as_text().find(',') != std::string::npos) {
    problem.level_points = node.locate([&] { return parse_size_list(node.as_text()); });
  } else {
    size_form().read(node, problem.points);
  }
  if (!problem.level_points.empty()) problem.points = std::ranges::max(problem.level_points);
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
  const std::string words = one.words + " for all tensors, or a map such as `{location: fp32}`";
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
      setting("batch", &Problem::batch, size_form(), "images"),
      setting("queries", &Problem::queries, size_form(), "of each image")
          .also("num_query")
          .otherwise(kRequiredAlone),
      setting("heads", &Problem::heads, size_form(), "of attention").also("num_heads"),
      setting("channels", &Problem::channels, size_form(), "of each head"),
      setting<Problem>("points", points(), "sampled on each level for each head and query",
                       read_points)
          .also("num_points")
          .otherwise("4"),
      setting("levels", &Problem::levels, levels(), "sizes in pixels, without any border")
          .otherwise("required without a preset, an input or `spatial_size`"),
      setting("layout", &Problem::layout, form::name<ValueLayout>(),
              "how the levels lie in `value`"),
      setting("padding", &Problem::padding, form::truth(),
              "`true`: a mask says which pixels are [padding](fused.md#padding)")};
  return settings;
}

/// Of tensors that are made; see docs/problems.md.
const Settings<Generation>& generation_settings() {
  using G = Generation;
  static const Settings<G> settings{
      setting("distribution", &G::distribution, form::name<Distribution>(),
              "[where](problems.md#generated-inputs) generated points lie"),
      setting("low", &G::low, form::number(-16, 16), "`uniform`: where locations begin, in images"),
      setting("high", &G::high, form::number(-16, 16), "`uniform`: where they end"),
      setting("weights", &G::weights, form::name<WeightKind>(),
              "`uniform`: each from 0 to 1, and no softmax"),
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

Form<std::string> operator_name() {
  Form<std::string> form;
  form.words = "the name of an operator";
  form.schema = {{"enum", operator_names()}};
  form.read = [](const YamlNode& node, std::string& op) {
    op = node.locate([&] { return std::string(find_operator(node.as_text()).name()); });
  };
  return form;
}

const Settings<Problem>& reference_settings() {
  using P = Problem;
  static const Settings<P> settings{
      setting<P>("coordinates", {"2 or 4", {{"enum", {2, 4}}}}, "4: with the size of a box",
                 [](const YamlNode& node, P& problem) {
                   form::integer<std::int64_t>(2, 4).read(node, problem.references.coordinates);
                   if (problem.references.coordinates == 3)
                     node.fail("'coordinates' is 3; it must be 2 or 4");
                 })
          .otherwise("2"),
      setting<P>("anchors", size_form(),
                 "of a query for all levels together; point p takes number p % anchors",
                 [](const YamlNode& node, P& problem) {
                   size_form().read(node, problem.references.anchors);
                 })
          .otherwise("one reference for each level"),
      setting<P>("scale", form::number(0, kInfinity),
                 "of boxes: the part that an offset of 1, divided by the level's points, moves by",
                 [](const YamlNode& node, P& problem) {
                   form::number(0, kInfinity).read(node, problem.references.scale);
                 })
          .otherwise("0.5"),
      setting<P>("point_scales",
                 form::list_of("a list of numbers", form::number(0, kInfinity).schema),
                 "of boxes: one for each point of a row, in place of the division",
                 [](const YamlNode& node, P& problem) {
                   std::vector<double>& scales = problem.references.point_scales;
                   scales.clear();
                   for (const YamlNode& entry : node.as_list("scale")) {
                     form::number(0, kInfinity).read(entry, scales.emplace_back());
                   }
                 })
          .otherwise("1 over the points of the level"),
      setting<P>("type", form::name<DType>(), "how they are stored",
                 [](const YamlNode& node, P& problem) {
                   form::name<DType>().read(node, problem.types.reference);
                 })
          .otherwise("`fp32`")};
  return settings;
}

/// A problem while its map is read.
struct ProblemReader {
  ProblemSpec spec;
  fs::path beside;        ///< where relative directories start
  bool is_words = false;  ///< of a command line, where more has a default
  bool has_base = false;
};

void read_preset(const YamlNode& node, ProblemReader& reader) {
  reader.spec =
      node.locate([&] { return preset_spec(node.as_text(), reader.beside, reader.spec.op); });
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

void read_references(const YamlNode& node, ProblemReader& reader) {
  const auto is_stored_so = [](const TensorSpec& spec) { return spec.type == &Types::reference; };
  References& references = reader.spec.problem.references;
  reference_settings().read(node.as_map(), reader.spec.problem);
  if (references != References{} &&
      std::ranges::none_of(find_operator(reader.spec.op).tensors(), is_stored_so)) {
    node.fail(fmt::format("the operator '{}' has no reference points", reader.spec.op));
  }
}

const Settings<ProblemReader>& base_settings() {
  using R = ProblemReader;
  static const Settings<R> settings{
      setting<R>("preset", {"a [preset](problems.md#presets)", {{"enum", preset_names()}}},
                 "what to start from", read_preset),
      setting<R>(
          "input", form::text("a directory"),
          "[tensors](problems.md#inputs-from-files) to start from; a relative path is beside this "
          "file, on the command line in the current folder",
          read_input)
          .also("dir"),
      setting<R>(
          "name", form::label(), "label in tables",
          [](const YamlNode& node, R& reader) { reader.spec.problem.name = parse_label(node); })
          .otherwise("the preset's or the directory's; required without these"),
      setting<R>(
          "operator", operator_name(), "what the arms compute",
          [](const YamlNode& node, R& reader) { operator_name().read(node, reader.spec.op); })
          .otherwise(fmt::format("`{}`", kDefaultOperator)),
      setting<R>("outputs", output_names(),
                 "of the operator that are [asked for](backward.md#some-of-the-outputs)",
                 [](const YamlNode& node, R& reader) {
                   reader.spec.problem.unasked = parse_outputs(node, find_operator(reader.spec.op));
                 })
          .otherwise("all"),
      setting<R>("references",
                 {"a map such as `{coordinates: 4}`", object_schema(reference_settings().keys())},
                 "reference points of [fused](fused.md) operators", read_references)
          .otherwise("two coordinates on each level, in fp32"),
      setting<R>(
          "types", types(), "how the tensors are stored",
          [](const YamlNode& node, R& reader) { types().read(node, reader.spec.problem.types); })
          .also("dtype")
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

bool has_queries(const YamlMap& map) { return map.find("queries") || map.find("num_query"); }

/// Each size that is given must be the one that the files have.
void check_shape(const YamlMap& map, const ProblemSpec& spec) {
  for (const Setting<Problem>& setting : shape_settings()) {
    const auto node = find(map, setting.key);
    if (!node) continue;
    Problem told = spec.problem;
    setting.read(*node, told);
    if (told == spec.problem) continue;
    node->fail(fmt::format("{} has another: {}", spec.directory->string(), describe(spec.problem)));
  }
}

/// The same of reference points; their type is one that tensors are converted to.
void take_references(const YamlMap& map, ProblemSpec& spec) {
  const auto node = map.find("references");
  if (!node) return;
  Problem told = spec.problem;
  reference_settings().read(node->as_map(), told);
  spec.problem.types.reference = told.types.reference;
  const References& files = spec.problem.references;
  if (told.references == files) return;
  node->fail(fmt::format(
      "{} has reference points of {} coordinates, {}", spec.directory->string(), files.coordinates,
      files.anchors == 0 ? "one for each level" : fmt::format("anchors: {}", files.anchors)));
}

/// Fills in the shape and types that the files of `spec.directory` have, by reading them.
void take_shape_from_files(const YamlMap& map, const ProblemReader& reader, ProblemSpec& spec) {
  refuse_keys(map, generation_settings().keys());
  const bool is_raw = is_raw_directory(*spec.directory, find_operator(spec.op).tensors());
  if (!is_raw && !reader.is_words) refuse_keys(map, shape_settings().keys());
  if (is_raw) {
    shape_settings().read_known(map, spec.problem);
    if (reader.is_words && !has_queries(map)) {
      map.owner().fail(
          fmt::format("the raw tensors in {} have no shape of their own; give batch=, num_query=, "
                      "num_heads=, channels= and num_points=",
                      spec.directory->string()));
    }
  }
  const Types wanted = spec.problem.types;
  spec = map.owner().locate([&] { return directory_spec(*spec.directory, spec.problem, spec.op); });
  if (map.find("types") || map.find("dtype")) spec.problem.types = wanted;
  take_references(map, spec);
  check_shape(map, spec);
}

/// The sizes of a problem whose tensors are made.
void read_shape(const YamlMap& map, const PyramidSpec& pyramid, const ProblemReader& reader,
                Problem& problem) {
  shape_settings().read_known(map, problem);
  const bool has_levels = reader.has_base || map.find("levels") || pyramid.spatial_size;
  if (!has_levels && reader.is_words) {
    throw UsageError("give the levels (levels=92x160,46x80), or spatial_size= with num_levels=");
  }
  if (!has_levels) map.require("levels");
  if (pyramid.spatial_size) make_pyramid(map, pyramid, problem);
  // The same number for each level is one number.
  std::vector<std::int64_t>& points = problem.level_points;
  if (points.size() == problem.levels.size() &&
      std::ranges::max(points) == std::ranges::min(points)) {
    points.clear();
  }
  if (reader.is_words && !reader.has_base && !has_queries(map)) {
    problem.queries = problem.spatial_size();
  }
}

ProblemSpec read_problem(const YamlMap& map, ProblemReader reader) {
  // The operator says which files there are.
  if (const auto node = map.find("operator")) operator_name().read(*node, reader.spec.op);
  base_settings().read_known(map, reader);
  ProblemSpec& spec = reader.spec;
  if (!reader.has_base && !reader.is_words) {
    map.require("name");
    if (!has_queries(map)) map.require("queries");
  }
  PyramidSpec pyramid;
  pyramid_settings().read_known(map, pyramid);
  if (spec.directory) {
    take_shape_from_files(map, reader, spec);
  } else {
    read_shape(map, pyramid, reader, spec.problem);
    generation_settings().read_known(map, spec.generation);
    const auto low = map.find("low");
    (low ? *low : map.owner()).locate([&] { validate(spec.generation); });
  }
  map.owner().locate([&] { validate(spec.problem, find_operator(spec.op).tensors()); });
  check_pyramid(map, pyramid, spec.problem);
  return std::move(spec);
}

}  // namespace

Keys keys::type() { return type_settings().keys(); }
Keys keys::references() { return reference_settings().keys(); }

Keys keys::one_problem() {
  Keys keys = joined(base_settings().keys(), shape_settings().keys());
  return joined(joined(std::move(keys), pyramid_settings().keys()), generation_settings().keys());
}

ProblemSpec parse_problem_map(const YamlMap& map, const fs::path& beside) {
  return read_problem(map, {{}, beside});
}

ProblemSpec parse_problem_words(const YamlMap& map, const std::string& unnamed) {
  ProblemReader reader{{}, fs::current_path(), true};
  reader.spec.problem.batch = 1;
  reader.spec.problem.heads = 1;
  reader.spec.problem.channels = 32;
  reader.spec.problem.points = 8;
  ProblemSpec spec = read_problem(map, std::move(reader));
  if (!map.find("preset") && !map.find("name")) spec.problem.name = unnamed;
  return spec;
}

ProblemSpec parse_problem(const YamlNode& node, const fs::path& beside) {
  if (!node.is_scalar()) {
    const YamlMap map = node.as_map();
    map.allow_only(names_of(keys::one_problem()));
    return parse_problem_map(map, beside);
  }
  const std::string name = node.as_text();
  return node.locate([&] { return preset_spec(name, beside); });
}

}  // namespace msda
