// An Input is the tensors of one problem in host memory, generated or read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <msda/operator.hpp>

#include "facts/problem_spec.hpp"
#include "files/bytes.hpp"

namespace msda {

struct Input {
  Problem problem;
  std::span<const TensorSpec> specs;  ///< of the operator's tensors; they live for ever
  /// By number in `specs`; empty for what is not an input.
  std::vector<Bytes> tensors;
  /// By number in `specs`, [elements] in float32: independent results that came with the files;
  /// empty for what did not come.
  std::vector<std::vector<float>> expected;
  std::string origin;  ///< "uniform, seed 7" or the directory, for records

  Input() = default;
  Input(Problem of, std::span<const TensorSpec> all)
      : problem(std::move(of)), specs(all), tensors(all.size()), expected(all.size()) {}

  /// The tensor of that name. Throws Error when the operator has none.
  Bytes& at(std::string_view name);
  const Bytes& at(std::string_view name) const;
};

/// Throws UsageError that names the number that is out of its range.
void validate(const Generation& generation);
/// The numbers that were set and that this distribution has no use for, "sigma".
std::vector<std::string> idle_settings(const Generation& generation);

/// Fills the tensors of the operator `forward` with random data: value normal(0, 1), weights a
/// softmax over L*P of normal(0, 1) logits, locations as `generation` says. Counter-based
/// (Philox4x32-10; Salmon et al., SC'11): the same bits for the same seed whatever `threads` is.
/// threads = 0 uses all hardware threads. A zero border is zero.
Input generate(const Problem& problem, const Generation& generation, unsigned threads = 0);

/// The problem presets of docs/problems.md.
std::vector<std::string> preset_names();
/// Throws UsageError with the nearest name. Types are fp32 unless changed by the caller.
Problem preset(std::string_view name);

/// Logits of types.weight whose softmax over L*P, up to their rounding, is the weights: what a
/// kernel with a softmax of its own takes in place of them. Throws Unsupported for weights that are
/// negative or do not sum to 1.
Bytes logits_of(const Input& input, unsigned threads = 0);

/// Changes storage types, rounding to nearest even. `expected` is dropped when a type gets
/// narrower.
Input convert(Input input, const Types& types);

/// Reads spatial_shapes, level_start_index, a file for each input of `specs`, and one for each
/// output where it is there (.npy, C order, little-endian; float32, float16 or bfloat16, shapes
/// int64). Throws UsageError that names the file, what was found and what was expected.
Input read_npy_directory(const std::filesystem::path& directory, std::span<const TensorSpec> specs);

/// Reads the same names as raw little-endian .bin files whose shapes `problem` gives (its levels
/// are replaced by spatial_shapes.bin when that exists). Element types follow from the file sizes
/// (4 bytes: fp32; 2 bytes: fp16, or bf16 when the problem's type says so).
Input read_raw_directory(const std::filesystem::path& directory, std::span<const TensorSpec> specs,
                         const Problem& problem);

/// True when the directory looks like a raw one (value.bin) rather than an .npy one (value.npy).
bool is_raw_directory(const std::filesystem::path& directory, std::span<const TensorSpec> specs);

enum class FileFormat { kNpy, kRaw };
/// Writes all files of the input, each to a temporary name first, so that an interrupted write
/// leaves no truncated file. bf16 has no .npy type: it is refused there with the advice to use raw.
void write_directory(const Input& input, const std::filesystem::path& directory, FileFormat format);

/// 32 hexadecimal digits (XXH3-128) over the problem's shape, types and all input tensors.
std::string content_hash(const Input& input);

}  // namespace msda
