#include "cli/bench_words.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "cli/pyramid.hpp"
#include "problem/tensor_names.hpp"
#include "problem/validate.hpp"
#include "runner/experiment/parse.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

template <class Number>
Number parse_number(const std::string& key, const std::string& text, const char* expected) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw UsageError(fmt::format("{}={}: '{}' is not {}", key, text, text, expected));
  }
  return value;
}

/// What the words say of the shape; absent where they are silent.
struct ShapeWords {
  std::optional<std::int64_t> batch, spatial_size, queries, heads, channels, level_count, points;
  std::optional<std::int64_t> im2col_step;
  std::optional<std::vector<Level>> levels;
  std::optional<ValueLayout> layout;
};

ShapeWords take_shape(Words& words) {
  ShapeWords shape;
  shape.batch = words.take_integer("batch", 1);
  shape.spatial_size = words.take_integer("spatial_size", 1);
  shape.queries = words.take_integer("num_query", 1);
  shape.heads = words.take_integer("num_heads", 1);
  shape.channels = words.take_integer("channels", 1);
  shape.level_count = words.take_integer("num_levels", 1);
  shape.points = words.take_integer("num_points", 1);
  shape.im2col_step = words.take_integer("im2col_step", 1);
  if (shape.level_count && *shape.level_count > kMaxLevels) {
    throw UsageError(
        fmt::format("num_levels={}: there are at most {}", *shape.level_count, kMaxLevels));
  }
  if (const auto text = words.take("levels")) shape.levels = parse_level_list(*text);
  if (const auto text = words.take("layout")) shape.layout = value_named<ValueLayout>(*text);
  return shape;
}

[[noreturn]] void contradiction(const std::string& key, std::int64_t given, std::int64_t actual,
                                const std::string& source) {
  throw UsageError(fmt::format("{}={}: {} has {}", key, given, source, actual));
}

/// Each number that was given must be the one that the problem has.
void check_shape(const ShapeWords& shape, const Problem& problem, const std::string& source) {
  const auto check = [&](const char* key, const std::optional<std::int64_t>& given,
                         std::int64_t actual) {
    if (given && *given != actual) contradiction(key, *given, actual, source);
  };
  check("batch", shape.batch, problem.batch);
  check("num_query", shape.queries, problem.queries);
  check("num_heads", shape.heads, problem.heads);
  check("channels", shape.channels, problem.channels);
  check("num_points", shape.points, problem.points);
  check("num_levels", shape.level_count, problem.level_count());
  check("spatial_size", shape.spatial_size, problem.spatial_size());
}

void check_im2col_step(const ShapeWords& shape, const Problem& problem) {
  if (!shape.im2col_step) return;
  const std::int64_t step = *shape.im2col_step;
  if (step <= problem.batch && problem.batch % step != 0) {
    throw UsageError(
        fmt::format("im2col_step={}: it must divide batch ({}) or exceed it", step, problem.batch));
  }
}

/// Levels and layout from levels=, or from spatial_size= and num_levels=.
void set_levels(const ShapeWords& shape, Problem& problem) {
  if (shape.layout) problem.layout = *shape.layout;
  if (shape.levels) {
    problem.levels = *shape.levels;
    Problem bordered = problem;
    bordered.layout = ValueLayout::kZeroBorder;
    if (!shape.layout && shape.spatial_size == bordered.spatial_size()) problem = bordered;
    return;
  }
  if (!shape.spatial_size) {
    throw UsageError("give the levels (levels=92x160,46x80), or spatial_size= with num_levels=");
  }
  const std::int64_t count = shape.level_count.value_or(4);
  const auto pyramid = pyramid_of_size(*shape.spatial_size, count);
  if (!pyramid) {
    throw UsageError(
        fmt::format("spatial_size={}: no pyramid of {} halved levels has this many "
                    "pixels; give the levels: levels=HxW,HxW,...",
                    *shape.spatial_size, count));
  }
  problem.levels = pyramid->levels;
  if (!shape.layout) problem.layout = pyramid->layout;
}

Problem bare_problem(const ShapeWords& shape) {
  Problem problem;
  problem.name = "bench";
  problem.batch = shape.batch.value_or(1);
  problem.heads = shape.heads.value_or(1);
  problem.channels = shape.channels.value_or(32);
  problem.points = shape.points.value_or(8);
  set_levels(shape, problem);
  problem.queries = shape.queries.value_or(problem.spatial_size());
  return problem;
}

/// What raw files cannot tell of themselves; spatial_shapes.bin gives the levels where it is there.
Problem raw_problem(const ShapeWords& shape, const fs::path& directory) {
  if (!shape.queries) {
    throw UsageError(
        fmt::format("dir={}: raw tensors have no shape of their own; give batch=, "
                    "num_query=, num_heads=, channels= and num_points=",
                    directory.string()));
  }
  ShapeWords known = shape;
  if (fs::exists(directory / "spatial_shapes.bin")) known.levels = {{1, 1}};
  return bare_problem(known);
}

ProblemSpec problem_in(const fs::path& directory, const ShapeWords& shape, const Types& types) {
  if (!fs::is_directory(directory)) {
    throw UsageError(fmt::format("dir={}: no such directory", directory.string()));
  }
  Problem hint;
  hint.name = "bench";
  if (is_raw_directory(directory)) hint = raw_problem(shape, directory);
  hint.types = types;
  return directory_spec(fs::absolute(directory).lexically_normal(), hint);
}

Generation take_generation(Words& words) {
  Generation generation;
  if (const auto name = words.take("distribution")) {
    generation.distribution = parse_distribution(*name);
  }
  if (const auto value = words.take_number("sigma", 0)) generation.sigma = *value;
  if (const auto seed = words.take_integer("seed", 0)) {
    generation.seed = static_cast<std::uint64_t>(*seed);
  }
  return generation;
}

/// The preset with the numbers that the words change.
ProblemSpec changed_preset(const std::string& name, const ShapeWords& shape) {
  ProblemSpec spec = preset_spec(name, fs::current_path());
  if (spec.directory) return spec;
  Problem& problem = spec.problem;
  problem.batch = shape.batch.value_or(problem.batch);
  problem.heads = shape.heads.value_or(problem.heads);
  problem.channels = shape.channels.value_or(problem.channels);
  problem.points = shape.points.value_or(problem.points);
  if (shape.levels || shape.spatial_size) set_levels(shape, problem);
  if (shape.layout) problem.layout = *shape.layout;
  problem.queries = shape.queries.value_or(problem.queries);
  return spec;
}

}  // namespace

Words::Words(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError(fmt::format("'{}' is not key=value", word));
    }
    const std::string key = word.substr(0, equals);
    if (!words_.emplace(key, word.substr(equals + 1)).second) {
      throw UsageError(fmt::format("{}= is given twice", key));
    }
  }
}

std::optional<std::string> Words::take(const std::string& key) {
  const auto found = words_.find(key);
  if (found == words_.end()) return std::nullopt;
  std::string value = std::move(found->second);
  words_.erase(found);
  return value;
}

std::optional<std::int64_t> Words::take_integer(const std::string& key, std::int64_t minimum) {
  const auto text = take(key);
  if (!text) return std::nullopt;
  const auto value = parse_number<std::int64_t>(key, *text, "an integer");
  if (value < minimum) {
    throw UsageError(fmt::format("{}={}: it must be at least {}", key, value, minimum));
  }
  return value;
}

std::optional<double> Words::take_number(const std::string& key, double minimum) {
  const auto text = take(key);
  if (!text) return std::nullopt;
  const auto value = parse_number<double>(key, *text, "a number");
  if (!std::isfinite(value) || value < minimum) {
    throw UsageError(fmt::format("{}={}: it must be at least {}", key, *text, minimum));
  }
  return value;
}

const std::vector<std::pair<std::string, std::string>>& problem_keys() {
  static const std::vector<std::pair<std::string, std::string>> keys = {
      {"preset", "a problem preset to start from ('msda list --presets')"},
      {"batch", "images (default 1)"},
      {"spatial_size", "pixels of all levels; without levels= a pyramid is made of them"},
      {"num_query", "queries an image (default: spatial_size)"},
      {"num_heads", "heads (default 1)"},
      {"channels", "channels a head (default 32)"},
      {"num_levels", "levels (default 4)"},
      {"num_points", "points a head and level (default 8)"},
      {"levels", "92x160,46x80,...: height x width of each level"},
      {"layout", "plain or zero-border"},
      {"im2col_step", "accepted; it must divide batch or exceed it, and changes nothing"},
      {"dir", "directory of the tensors, .npy or raw .bin; without it they are generated"},
      {"dtype", "fp32, fp16 or bf16 for all tensors (default: fp32, or as in dir=)"},
      {"distribution", "of generated locations: uniform (default), local, directional, ..."},
      {"sigma", "of distribution=local and clustered, in pixels"},
      {"seed", "of the generator"},
  };
  return keys;
}

ProblemSpec problem_from_words(Words& words) {
  const ShapeWords shape = take_shape(words);
  const auto name = words.take("preset");
  const auto directory = words.take("dir");
  const auto dtype = words.take("dtype");
  const bool generates = words.has("distribution") || words.has("sigma") || words.has("seed");
  const Generation generation = take_generation(words);
  if (name && directory) throw UsageError("give either preset= or dir=, not both");
  const Types types = Types::all(dtype ? value_named<DType>(*dtype) : DType::kFloat32);
  ProblemSpec spec;
  if (directory) {
    spec = problem_in(*directory, shape, types);
  } else if (name) {
    spec = changed_preset(*name, shape);
  } else {
    spec.problem = bare_problem(shape);
  }
  if (dtype) spec.problem.types = types;
  if (spec.directory && generates) {
    throw UsageError("distribution=, sigma= and seed= do not apply to tensors that are read");
  }
  spec.generation = generation;
  validate(spec.problem);
  check_shape(shape, spec.problem,
              spec.directory ? spec.directory->string() : describe(spec.problem));
  check_im2col_step(shape, spec.problem);
  return spec;
}

}  // namespace msda
