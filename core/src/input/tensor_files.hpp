// What the two directory formats share: file names, and checks of tensors against the problem.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <msda/error.hpp>

#include "input/input.hpp"

namespace msda {

namespace tensor_file {
inline constexpr std::string_view kValue = "value";
inline constexpr std::string_view kShapes = "spatial_shapes";
inline constexpr std::string_view kStarts = "level_start_index";
inline constexpr std::string_view kLocations = "sampling_locations";
inline constexpr std::string_view kWeights = "attention_weights";
inline constexpr std::string_view kOutput = "output";
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

/// For ValueLayout::kZeroBorder: throws UsageError giving the first border pixel that is not zero.
void require_zero_border(const Problem& problem, const Bytes& value);

/// Sizes from int64 pairs (height, width) as spatial_shapes stores them.
std::vector<Level> to_levels(const std::vector<std::int64_t>& sizes);
std::vector<std::int64_t> to_int64s(const Bytes& bytes);
/// All elements of a tensor as float32.
std::vector<float> to_floats(DType type, const Bytes& tensor);

std::vector<std::int64_t> value_shape(const Problem& problem);
std::vector<std::int64_t> location_shape(const Problem& problem);
std::vector<std::int64_t> weight_shape(const Problem& problem);
/// [B, Q, H*C]: how files hold the output.
std::vector<std::int64_t> output_shape(const Problem& problem);

}  // namespace msda
