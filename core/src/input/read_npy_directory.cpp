#include <fmt/format.h>

#include <algorithm>
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
  if (file.array.type != NpyType::kInt64) {
    throw UsageError(fmt::format("{}: element type '{}' found; expected '<i8'", file.path.string(),
                                 descr_of(file.array.type)));
  }
  return file;
}

NamedArray read_reals(const std::filesystem::path& directory, std::string_view stem) {
  NamedArray file = read_array(directory, stem);
  if (file.array.type == NpyType::kInt64) {
    throw UsageError(fmt::format(
        "{}: element type '<i8' found; expected '<f4', '<f2' or '<V2' (bf16)", file.path.string()));
  }
  return file;
}

DType dtype_of(const NamedArray& file) {
  switch (file.array.type) {
    case NpyType::kFloat16: return DType::kFloat16;
    case NpyType::kBFloat16: return DType::kBFloat16;
    case NpyType::kFloat32:
    case NpyType::kInt64: break;  // refused by read_reals()
  }
  return DType::kFloat32;
}

void require_shape(const NamedArray& file, const std::vector<std::int64_t>& shape,
                   std::string_view meaning) {
  if (file.array.shape != shape) {
    throw_shape(file, fmt::format("{} = {}", meaning, format_shape(shape)));
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

/// The problem that the shapes of all files agree on.
Problem problem_of(const std::filesystem::path& directory, const NamedArray& value,
                   const NamedArray& locations, const NamedArray& weights) {
  if (value.array.shape.size() != 4) throw_shape(value, "(B, S, H, C)");
  if (locations.array.shape.size() != 6) throw_shape(locations, "(B, Q, H, L, P, 2)");
  Problem problem;
  problem.name = directory.filename().string();
  problem.batch = value.array.shape[0];
  problem.heads = value.array.shape[2];
  problem.channels = value.array.shape[3];
  problem.queries = locations.array.shape[1];
  problem.points = locations.array.shape[4];
  problem.levels = read_levels(directory);
  problem.types = {dtype_of(value), dtype_of(locations), dtype_of(weights), dtype_of(value)};
  with_path(directory, [&] { validate(problem); });
  problem.layout = recognise_layout(directory, problem, value.array.shape[1]);
  require_shape(locations, location_shape(problem), "(B, Q, H, L, P, 2)");
  require_shape(weights, weight_shape(problem), "(B, Q, H, L, P)");
  return problem;
}

std::optional<std::vector<float>> read_expected(const std::filesystem::path& directory,
                                                const Problem& problem) {
  if (!std::filesystem::exists(tensor_path(directory, tensor_file::kOutput, FileFormat::kNpy))) {
    return std::nullopt;
  }
  const NamedArray file = read_reals(directory, tensor_file::kOutput);
  require_shape(file, output_shape(problem), "(B, Q, H*C)");
  with_path(file.path, [&] { require_finite(dtype_of(file), file.array.shape, file.array.data); });
  return to_floats(dtype_of(file), file.array.data);
}

}  // namespace

Input read_npy_directory(const std::filesystem::path& directory) {
  require_directory(directory);
  NamedArray value = read_reals(directory, tensor_file::kValue);
  NamedArray locations = read_reals(directory, tensor_file::kLocations);
  NamedArray weights = read_reals(directory, tensor_file::kWeights);
  Input input;
  // "inputs/name/" has an empty last component.
  const std::filesystem::path named =
      directory.has_filename() ? directory : directory.parent_path();
  input.problem = problem_of(named, value, locations, weights);
  with_path(value.path, [&] {
    require_finite(input.problem.types.value, value.array.shape, value.array.data);
    require_zero_border(input.problem, value.array.data);
  });
  with_path(weights.path, [&] {
    require_finite(input.problem.types.weight, weights.array.shape, weights.array.data);
  });
  input.expected = read_expected(directory, input.problem);
  input.value = std::move(value.array.data);
  input.locations = std::move(locations.array.data);
  input.weights = std::move(weights.array.data);
  input.origin = directory.string();
  return input;
}

}  // namespace msda
