#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>

#include "input/npy.hpp"
#include "input/tensor_files.hpp"
#include "problem/validate.hpp"

namespace msda {
namespace {

/// An array with the file it came from, for messages.
struct NamedArray {
  std::filesystem::path path;
  NpyArray array;
};

[[noreturn]] void throw_shape(const NamedArray& file, const std::string& expected) {
  throw UsageError(fmt::format("{}: shape {} found; expected {}", file.path.string(),
                               format_shape(file.array.shape), expected));
}

NamedArray read_array(const std::filesystem::path& directory, std::string_view stem) {
  NamedArray file;
  file.path = tensor_path(directory, stem, FileFormat::kNpy);
  file.array = read_npy(file.path);
  return file;
}

NamedArray read_integers(const std::filesystem::path& directory, std::string_view stem) {
  NamedArray file = read_array(directory, stem);
  if (file.array.type != kNpyInt64) {
    throw UsageError(fmt::format("{}: element type '{}' found; expected '<i8'", file.path.string(),
                                 descr_of(file.array.type)));
  }
  return file;
}

NamedArray read_reals(const std::filesystem::path& directory, std::string_view stem) {
  NamedArray file = read_array(directory, stem);
  if (!std::holds_alternative<DType>(file.array.type)) {
    std::vector<std::string> reals = npy_reals();
    const std::string last = std::move(reals.back());
    reals.pop_back();
    throw UsageError(fmt::format("{}: element type '{}' found; expected {} or {}",
                                 file.path.string(), descr_of(file.array.type),
                                 fmt::join(reals, ", "), last));
  }
  return file;
}

DType type_of(const NamedArray& file) { return std::get<DType>(file.array.type); }

NamedArray read_flags(const std::filesystem::path& directory, std::string_view stem) {
  NamedArray file = read_array(directory, stem);
  if (file.array.type != kNpyFlag) {
    throw UsageError(fmt::format("{}: element type '{}' found; expected '|b1' or '|u1'",
                                 file.path.string(), descr_of(file.array.type)));
  }
  return file;
}

/// The points of each level where a file says that they differ.
std::vector<std::int64_t> read_level_points(const std::filesystem::path& directory) {
  if (!std::filesystem::exists(tensor_path(directory, tensor_file::kPoints, FileFormat::kNpy))) {
    return {};
  }
  const NamedArray file = read_integers(directory, tensor_file::kPoints);
  if (file.array.shape.size() != 1 || file.array.shape.front() == 0) {
    throw_shape(file, "(L,): the points of each level");
  }
  return to_int64s(file.array.data);
}

void require_shape(const NamedArray& file, const Problem& problem, const TensorSpec& spec) {
  const std::vector<std::int64_t> shape = file_shape(problem, spec);
  if (file.array.shape != shape) {
    throw_shape(file, fmt::format("{} = {}", file_shape_text(spec), format_shape(shape)));
  }
}

std::vector<Level> read_levels(const std::filesystem::path& directory) {
  const NamedArray file = read_integers(directory, tensor_file::kShapes);
  if (file.array.shape.size() != 2 || file.array.shape[1] != 2) {
    throw_shape(file, "(L, 2): height and width of each level");
  }
  return to_levels(to_int64s(file.array.data));
}

/// Whether the starts and S are those of a zero border. Starts that fit neither layout are refused.
ValueLayout recognise_layout(const std::filesystem::path& directory, Problem problem,
                             std::int64_t spatial_size) {
  const NamedArray file = read_integers(directory, tensor_file::kStarts);
  if (file.array.shape.size() != 1) throw_shape(file, "(L,): the first pixel of each level");
  const std::vector<std::int64_t> starts = to_int64s(file.array.data);
  problem.layout = ValueLayout::kZeroBorder;
  if (starts == problem.level_starts() && spatial_size == problem.spatial_size()) {
    return ValueLayout::kZeroBorder;
  }
  problem.layout = ValueLayout::kPlain;
  with_path(file.path, [&] { validate_level_starts(problem, starts, spatial_size); });
  return ValueLayout::kPlain;
}

/// The size of the problem that counts what an axis does; null for those that follow from others.
std::int64_t* size_of_axis(Problem& problem, Axis axis) {
  switch (axis) {
    case Axis::kBatch: return &problem.batch;
    case Axis::kQuery: return &problem.queries;
    case Axis::kHead: return &problem.heads;
    case Axis::kChannel: return &problem.channels;
    case Axis::kPoint: return &problem.points;
    case Axis::kReference: return &problem.references.anchors;
    case Axis::kCoordinate: return &problem.references.coordinates;
    case Axis::kPixel:
    case Axis::kLevel:
    case Axis::kXY: break;
  }
  return nullptr;
}

/// By number in the operator's specs; without a path where there is no file.
using Arrays = std::vector<NamedArray>;

/// Sizes and types from the first tensor that has each; whether the others agree is asked later.
Problem sizes_of(const std::filesystem::path& directory, std::span<const TensorSpec> specs,
                 const Arrays& arrays) {
  Problem problem;
  problem.name = directory.filename().string();
  std::set<Axis> known;
  problem.level_points = read_level_points(directory);
  if (!problem.level_points.empty()) {
    problem.points = std::ranges::max(problem.level_points);
    known.insert(Axis::kPoint);
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const TensorSpec& spec = specs[i];
    if (spec.role != TensorSpec::Role::kInput || arrays[i].path.empty()) continue;
    if (spec.present != nullptr) problem.*(spec.present) = true;
    const std::vector<std::int64_t>& shape = arrays[i].array.shape;
    const std::vector<Axis> axes = file_axes(problem, spec);
    const std::size_t joins = file_joins(problem, spec);
    if (shape.size() != axes.size() + 1 - joins) throw_shape(arrays[i], file_shape_text(spec));
    const std::size_t apart = joins == 1 ? axes.size() : axes.size() - joins;
    for (std::size_t d = 0; d < apart; ++d) {
      std::int64_t* const size = size_of_axis(problem, axes[d]);
      if (size != nullptr && known.insert(axes[d]).second) *size = shape[d];
    }
    if (spec.type != nullptr) problem.types.*(spec.type) = type_of(arrays[i]);
  }
  return problem;
}

/// The problem that the shapes of all files agree on.
Problem problem_of(const std::filesystem::path& directory, std::span<const TensorSpec> specs,
                   const Arrays& arrays) {
  Problem problem = sizes_of(directory, specs, arrays);
  problem.types.output = output_type(specs, problem.types);
  problem.levels = read_levels(directory);
  // As many references as levels are those of the levels.
  if (problem.references.anchors == problem.level_count()) problem.references.anchors = 0;
  with_path(directory, [&] { validate(problem, specs); });
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].role != TensorSpec::Role::kInput || !specs[i].has(Axis::kPixel)) continue;
    problem.layout = recognise_layout(directory, problem, arrays[i].array.shape[1]);
    break;
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!arrays[i].path.empty()) require_shape(arrays[i], problem, specs[i]);
  }
  return problem;
}

std::vector<float> read_expected(const std::filesystem::path& directory, const Problem& problem,
                                 const TensorSpec& spec) {
  if (!std::filesystem::exists(tensor_path(directory, spec.file, FileFormat::kNpy))) return {};
  const NamedArray file = read_reals(directory, spec.file);
  require_shape(file, problem, spec);
  with_path(file.path, [&] { require_finite(type_of(file), file.array.shape, file.array.data); });
  return to_floats(type_of(file), file.array.data);
}

}  // namespace

Input read_npy_directory(const std::filesystem::path& directory,
                         std::span<const TensorSpec> specs) {
  require_directory(directory);
  Arrays arrays(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].role != TensorSpec::Role::kInput) continue;
    const auto path = tensor_path(directory, specs[i].file, FileFormat::kNpy);
    if (specs[i].present != nullptr && !std::filesystem::exists(path)) continue;
    arrays[i] = specs[i].type == nullptr ? read_flags(directory, specs[i].file)
                                         : read_reals(directory, specs[i].file);
  }
  // "inputs/name/" has an empty last component.
  const std::filesystem::path named =
      directory.has_filename() ? directory : directory.parent_path();
  Input input(problem_of(named, specs, arrays), specs);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].role == TensorSpec::Role::kOutput) {
      input.expected[i] = read_expected(directory, input.problem, specs[i]);
    }
    if (arrays[i].path.empty()) continue;
    with_path(arrays[i].path,
              [&] { require_content(input.problem, specs[i], arrays[i].array.data); });
    input.tensors[i] = std::move(arrays[i].array.data);
  }
  input.origin = directory.string();
  return input;
}

}  // namespace msda
