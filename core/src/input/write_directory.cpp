#include <fmt/format.h>

#include <cstring>
#include <span>
#include <string>

#include <msda/error.hpp>

#include "files/write.hpp"
#include "input/npy.hpp"
#include "input/tensor_files.hpp"

namespace msda {
namespace {

template <class Number>
Bytes to_bytes(const std::vector<Number>& numbers) {
  Bytes bytes(numbers.size() * sizeof(Number));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::vector<std::int64_t> level_sizes(const Problem& problem) {
  std::vector<std::int64_t> sizes;
  for (const Level& level : problem.levels) {
    sizes.push_back(level.height);
    sizes.push_back(level.width);
  }
  return sizes;
}

NpyType npy_type_of(DType type) {
  switch (type) {
    case DType::kFloat32: return NpyType::kFloat32;
    case DType::kFloat16: return NpyType::kFloat16;
    case DType::kBFloat16: return NpyType::kBFloat16;
  }
  return NpyType::kFloat32;
}

/// Writes tensors of one directory in one format.
class DirectoryWriter {
 public:
  DirectoryWriter(const std::filesystem::path& directory, FileFormat format)
      : directory_(directory), format_(format) {}

  void write(std::string_view stem, NpyType type, const std::vector<std::int64_t>& shape,
             const Bytes& data) const {
    const std::filesystem::path path = tensor_path(directory_, stem, format_);
    if (format_ == FileFormat::kNpy) {
      write_npy(path, type, shape, data);
    } else {
      write_atomically(path, {data});
    }
  }

  void write(std::string_view stem, DType type, const std::vector<std::int64_t>& shape,
             const Bytes& data) const {
    write(stem, npy_type_of(type), shape, data);
  }

 private:
  const std::filesystem::path& directory_;
  FileFormat format_;
};

/// An expected output of other tensors must not stay beside the ones that are written now, and it
/// is not ours to delete.
void refuse_stale_output(const Input& input, const std::filesystem::path& directory,
                         FileFormat format) {
  const std::filesystem::path output = tensor_path(directory, tensor_file::kOutput, format);
  if (!input.expected && std::filesystem::exists(output)) {
    throw UsageError(fmt::format(
        "{} belongs to another input, and the one to be written has no expected output: remove the "
        "file or choose another directory",
        output.string()));
  }
}

/// Refuses a directory that would then hold both formats: readers could not tell which one is
/// meant.
void refuse_other_format(const std::filesystem::path& directory, FileFormat format) {
  const FileFormat other = format == FileFormat::kNpy ? FileFormat::kRaw : FileFormat::kNpy;
  const std::filesystem::path value = tensor_path(directory, tensor_file::kValue, other);
  if (std::filesystem::exists(value)) {
    throw UsageError(fmt::format("{} exists: choose a directory without tensors of another format",
                                 value.string()));
  }
}

}  // namespace

void write_directory(const Input& input, const std::filesystem::path& directory,
                     FileFormat format) {
  const Problem& p = input.problem;
  refuse_stale_output(input, directory, format);
  refuse_other_format(directory, format);
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw EnvironmentError(
        fmt::format("{}: cannot be created: {}", directory.string(), error.message()));
  }
  const DirectoryWriter writer(directory, format);
  const std::int64_t levels = p.level_count();
  writer.write(tensor_file::kShapes, NpyType::kInt64, {levels, 2}, to_bytes(level_sizes(p)));
  writer.write(tensor_file::kStarts, NpyType::kInt64, {levels}, to_bytes(p.level_starts()));
  writer.write(tensor_file::kLocations, p.types.location, location_shape(p), input.locations);
  writer.write(tensor_file::kWeights, p.types.weight, weight_shape(p), input.weights);
  writer.write(tensor_file::kValue, p.types.value, value_shape(p), input.value);
  if (input.expected) {
    writer.write(tensor_file::kOutput, NpyType::kFloat32, output_shape(p),
                 to_bytes(*input.expected));
  }
}

}  // namespace msda
