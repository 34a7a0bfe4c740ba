#include <fmt/format.h>

#include <array>
#include <string>

#include "files/read.hpp"
#include "input/tensor_files.hpp"
#include "problem/validate.hpp"

namespace msda {
namespace {

Bytes read_whole(const std::filesystem::path& path) {
  FileReader file(path);
  return with_path(path, [&] { return file.read(file.remaining()); });
}

/// int64 numbers of a file, or nullopt when it does not exist.
std::optional<std::vector<std::int64_t>> read_integers(const std::filesystem::path& path,
                                                       std::int64_t per_entry,
                                                       std::string_view entry) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Bytes bytes = read_whole(path);
  const std::int64_t entry_bytes = per_entry * static_cast<std::int64_t>(sizeof(std::int64_t));
  const auto found = static_cast<std::int64_t>(bytes.size());
  if (found == 0 || found % entry_bytes != 0) {
    throw UsageError(fmt::format("{}: {} bytes found; expected a multiple of {} (int64 {})",
                                 path.string(), found, entry_bytes, entry));
  }
  return to_int64s(bytes);
}

bool has_size(std::int64_t bytes, std::int64_t elements) {
  return bytes == 2 * elements || bytes == 4 * elements;
}

/// The layout that the starts and the size of value.bin fit; `problem.layout` when neither does, so
/// that the checks that follow name what is wrong.
ValueLayout recognise_layout(const std::filesystem::path& directory, const Problem& problem) {
  const auto starts =
      read_integers(tensor_path(directory, tensor_file::kStarts, FileFormat::kRaw), 1, "start");
  const FileReader value(tensor_path(directory, tensor_file::kValue, FileFormat::kRaw));
  const ValueLayout other =
      problem.layout == ValueLayout::kPlain ? ValueLayout::kZeroBorder : ValueLayout::kPlain;
  for (const ValueLayout layout : {problem.layout, other}) {
    Problem candidate = problem;
    candidate.layout = layout;
    if (has_size(value.remaining(), candidate.value_elements()) &&
        (!starts || *starts == candidate.level_starts())) {
      return layout;
    }
  }
  if (starts) {
    with_path(tensor_path(directory, tensor_file::kStarts, FileFormat::kRaw),
              [&] { validate_level_starts(problem, *starts, problem.spatial_size()); });
  }
  return problem.layout;
}

/// A tensor and the element type that its size implies.
struct RawTensor {
  Bytes bytes;
  DType type = DType::kFloat32;
};

/// `declared` decides between the two types of 2 bytes.
RawTensor read_tensor(const std::filesystem::path& path, const Problem& problem,
                      std::int64_t elements, DType declared) {
  FileReader file(path);
  const std::int64_t found = file.remaining();
  if (!has_size(found, elements)) {
    throw UsageError(fmt::format("{}: {} bytes found; expected {} (fp32) or {} (fp16, bf16) for {}",
                                 path.string(), found, 4 * elements, 2 * elements,
                                 describe(problem)));
  }
  RawTensor tensor;
  tensor.bytes = with_path(path, [&] { return file.read(found); });
  if (found == 2 * elements) {
    tensor.type = declared == DType::kBFloat16 ? DType::kBFloat16 : DType::kFloat16;
  }
  return tensor;
}

RawTensor read_finite(const std::filesystem::path& path, const Problem& problem,
                      const std::vector<std::int64_t>& shape, std::int64_t elements,
                      DType declared) {
  RawTensor tensor = read_tensor(path, problem, elements, declared);
  with_path(path, [&] { require_finite(tensor.type, shape, tensor.bytes); });
  return tensor;
}

}  // namespace

Input read_raw_directory(const std::filesystem::path& directory, const Problem& problem) {
  require_directory(directory);
  const auto path = [&](std::string_view stem) {
    return tensor_path(directory, stem, FileFormat::kRaw);
  };
  Input input;
  Problem& p = input.problem = problem;
  if (const auto sizes = read_integers(path(tensor_file::kShapes), 2, "height and width")) {
    p.levels = to_levels(*sizes);
  }
  with_path(directory, [&] { validate(p); });
  p.layout = recognise_layout(directory, p);
  RawTensor value = read_finite(path(tensor_file::kValue), p, value_shape(p), p.value_elements(),
                                problem.types.value);
  RawTensor locations =
      read_tensor(path(tensor_file::kLocations), p, p.location_elements(), problem.types.location);
  RawTensor weights = read_finite(path(tensor_file::kWeights), p, weight_shape(p),
                                  p.weight_elements(), problem.types.weight);
  if (std::filesystem::exists(path(tensor_file::kOutput))) {
    const RawTensor output = read_finite(path(tensor_file::kOutput), p, output_shape(p),
                                         p.output_elements(), problem.types.output);
    input.expected = to_floats(output.type, output.bytes);
  }
  p.types = {value.type, locations.type, weights.type, value.type};
  with_path(path(tensor_file::kValue), [&] { require_zero_border(p, value.bytes); });
  input.value = std::move(value.bytes);
  input.locations = std::move(locations.bytes);
  input.weights = std::move(weights.bytes);
  input.origin = directory.string();
  return input;
}

bool is_raw_directory(const std::filesystem::path& directory) {
  const auto has_value = [&](FileFormat format) {
    return std::filesystem::exists(tensor_path(directory, tensor_file::kValue, format));
  };
  return has_value(FileFormat::kRaw) && !has_value(FileFormat::kNpy);
}

}  // namespace msda
