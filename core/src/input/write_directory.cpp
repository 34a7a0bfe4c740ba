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

 private:
  const std::filesystem::path& directory_;
  FileFormat format_;
};

/// Files that the input does without, and that would be read as its own.
void refuse_stale_inputs(const Input& input, const std::filesystem::path& directory,
                         FileFormat format) {
  std::vector<std::string_view> stems;
  for (const TensorSpec& spec : input.specs) {
    if (!is_there(input.problem, spec)) stems.push_back(spec.file);
  }
  if (input.problem.level_points.empty()) stems.push_back(tensor_file::kPoints);
  for (const std::string_view stem : stems) {
    const std::filesystem::path path = tensor_path(directory, stem, format);
    if (!std::filesystem::exists(path)) continue;
    throw UsageError(
        fmt::format("{} belongs to another input, and the one to be written has none: remove the "
                    "file or choose "
                    "another directory",
                    path.string()));
  }
}

/// An expected output of other tensors must not stay beside the ones that are written now, and it
/// is not ours to delete.
void refuse_stale_outputs(const Input& input, const std::filesystem::path& directory,
                          FileFormat format) {
  for (std::size_t i = 0; i < input.specs.size(); ++i) {
    if (input.specs[i].role != TensorSpec::Role::kOutput || !input.expected[i].empty()) continue;
    const std::filesystem::path output = tensor_path(directory, input.specs[i].file, format);
    if (!std::filesystem::exists(output)) continue;
    throw UsageError(fmt::format(
        "{} belongs to another input, and the one to be written has no expected output: remove the "
        "file or choose another directory",
        output.string()));
  }
}

/// Refuses a directory that would then hold both formats: readers could not tell which one is
/// meant.
void refuse_other_format(const Input& input, const std::filesystem::path& directory,
                         FileFormat format) {
  const FileFormat other = format == FileFormat::kNpy ? FileFormat::kRaw : FileFormat::kNpy;
  for (const TensorSpec& spec : input.specs) {
    const std::filesystem::path file = tensor_path(directory, spec.file, other);
    if (spec.role != TensorSpec::Role::kInput || !std::filesystem::exists(file)) continue;
    throw UsageError(fmt::format("{} exists: choose a directory without tensors of another format",
                                 file.string()));
  }
}

}  // namespace

void write_directory(const Input& input, const std::filesystem::path& directory,
                     FileFormat format) {
  const Problem& p = input.problem;
  refuse_stale_inputs(input, directory, format);
  refuse_stale_outputs(input, directory, format);
  refuse_other_format(input, directory, format);
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw EnvironmentError(
        fmt::format("{}: cannot be created: {}", directory.string(), error.message()));
  }
  const DirectoryWriter writer(directory, format);
  const std::int64_t levels = p.level_count();
  writer.write(tensor_file::kShapes, kNpyInt64, {levels, 2}, to_bytes(level_sizes(p)));
  writer.write(tensor_file::kStarts, kNpyInt64, {levels}, to_bytes(p.level_starts()));
  if (!p.level_points.empty()) {
    writer.write(tensor_file::kPoints, kNpyInt64, {levels}, to_bytes(p.level_points));
  }
  for (std::size_t i = 0; i < input.specs.size(); ++i) {
    const TensorSpec& spec = input.specs[i];
    if (!is_there(p, spec)) continue;
    if (spec.role == TensorSpec::Role::kInput) {
      const NpyType type = spec.type == nullptr ? kNpyFlag : NpyType(type_of(p, spec));
      writer.write(spec.file, type, file_shape(p, spec), input.tensors[i]);
    } else if (!input.expected[i].empty()) {
      writer.write(spec.file, kWidest, file_shape(p, spec), to_bytes(input.expected[i]));
    }
  }
}

}  // namespace msda
