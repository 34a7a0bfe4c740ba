// What the two directory formats share: file names, and checks of tensors against the problem.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <msda/error.hpp>

#include "input/input.hpp"

namespace msda {

namespace tensor_file {
inline constexpr std::string_view kShapes = "spatial_shapes";
inline constexpr std::string_view kStarts = "level_start_index";
/// [L] int64, only where the levels differ in their points.
inline constexpr std::string_view kPoints = "points_per_level";
}  // namespace tensor_file

/// directory/stem.npy or directory/stem.bin.
std::filesystem::path tensor_path(const std::filesystem::path& directory, std::string_view stem,
                                  FileFormat format);

/// Throws UsageError unless `directory` is one.
void require_directory(const std::filesystem::path& directory);

/// Calls body; an Error from it gets "path: " in front of its message.
template <class Body>
decltype(auto) with_path(const std::filesystem::path& path, const Body& body) {
  try {
    return body();
  } catch (Error& e) {
    e.add_context(path.string());
    throw;
  }
}

/// Throws UsageError giving the index of the first element that is NaN or infinite.
void require_finite(DType type, const std::vector<std::int64_t>& shape, const Bytes& tensor);

/// The type of outputs where files do not say: that of the first input, unless an input is stored
/// in the outputs' type.
DType output_type(std::span<const TensorSpec> specs, const Types& types);

/// Sizes from int64 pairs (height, width) as spatial_shapes stores them.
std::vector<Level> to_levels(const std::vector<std::int64_t>& sizes);
std::vector<std::int64_t> to_int64s(const Bytes& bytes);
/// All elements of a tensor as float32.
std::vector<float> to_floats(DType type, const Bytes& tensor);

/// A tensor's axes as files have them: without levels where these differ in their points.
std::vector<Axis> file_axes(const Problem& problem, const TensorSpec& spec);
/// How many of the last of these are one axis of the file.
std::size_t file_joins(const Problem& problem, const TensorSpec& spec);
/// A tensor's shape as files have it.
std::vector<std::int64_t> file_shape(const Problem& problem, const TensorSpec& spec);
/// "(B, Q, H*C)": the same in symbols.
std::string file_shape_text(const TensorSpec& spec);

/// Throws UsageError for what no file of an input may hold: numbers that are not finite, where the
/// spec does not allow them, a border of the levels that is not zero, and flags that are neither 0
/// nor 1.
void require_content(const Problem& problem, const TensorSpec& spec, const Bytes& tensor);

}  // namespace msda
