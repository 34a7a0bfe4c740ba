// NumPy's .npy format, versions 1.0 to 3.0: NumPy documentation, numpy.lib.format. Only what
// tensors here need: C order, little-endian, float32, float16, bfloat16, int64, and flags of a
// byte. NumPy has no bfloat16 of its own: its bits are two opaque bytes, as the package ml_dtypes
// writes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "input/input.hpp"

namespace msda {

enum class NpyInteger { kInt64, kFlag };
/// Element types of arrays: those of tensors, 64-bit integers, and flags, which are NumPy's bool or
/// bytes.
using NpyType = std::variant<DType, NpyInteger>;
inline constexpr NpyType kNpyInt64 = NpyInteger::kInt64;
inline constexpr NpyType kNpyFlag = NpyInteger::kFlag;

/// '<f4', '<f2', '<V2', '<i8' or '|b1'.
std::string_view descr_of(NpyType type);
/// "'<f4', '<f2', '<V2' (bf16)": of tensors' elements.
std::vector<std::string> npy_reals();

struct NpyArray {
  NpyType type = kWidest;
  std::vector<std::int64_t> shape;
  Bytes data;
};

/// Throws UsageError that names the file, what was found and what was expected: another magic
/// string or version, a malformed header, another element type, byte order or Fortran order, and a
/// file that is shorter or longer than its header says.
NpyArray read_npy(const std::filesystem::path& path);

/// Atomic, as write_atomically(). Throws EnvironmentError when the file cannot be written.
void write_npy(const std::filesystem::path& path, NpyType type,
               const std::vector<std::int64_t>& shape, const Bytes& data);

/// "(2, 300)" as Python writes a tuple.
std::string format_shape(const std::vector<std::int64_t>& shape);

}  // namespace msda
