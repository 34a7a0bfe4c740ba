// Random numbers addressed by (stream, index): what generators draw from. The same address gives
// the same number whoever asks, in whatever order.
#pragma once

#include <cstdint>
#include <span>

#include "input/philox.hpp"

namespace msda {

/// Independent streams, one for each thing that is drawn. The numbers are part of the definition of
/// a generated input: never renumber them.
enum class RandomStream : std::uint32_t {
  kValue = 0,
  kLogit = 1,
  kPoint = 2,   ///< one block for each sampling point
  kQuery = 3,   ///< one block for each query of each image
  kObject = 4,  ///< one block for each object of each image
  kCommon = 5,  ///< one block for the whole input
  kOrder = 6,   ///< one block for each query, of all images
  kGradient = 7,
  kReference = 8,  ///< one block for each reference point of each query
  kRow = 9,        ///< one block for each row of logits
  kImage = 10,
};

/// Uniform in the open interval (0, 1), on the centres of 2^32 cells.
constexpr double to_uniform(std::uint32_t word) { return (word + 0.5) * 0x1p-32; }

/// Uniform in 0 .. count-1; the bias is below count / 2^32.
constexpr std::int64_t to_index(std::uint32_t word, std::int64_t count) {
  return static_cast<std::int64_t>(to_uniform(word) * static_cast<double>(count));
}

struct NormalPair {
  double first = 0;
  double second = 0;
};

/// Two independent normal(0, 1) numbers from two words, after Box and Muller (1958).
NormalPair to_normals(std::uint32_t word0, std::uint32_t word1);

class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)} {}

  /// Four random words.
  PhiloxCounter block(RandomStream stream, std::uint64_t index) const {
    return philox4x32_10(
        {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32U),
         static_cast<std::uint32_t>(stream), 0},
        key_);
  }

  /// Normal(0, 1) numbers first, first + 1, ... of the stream; each block holds four.
  void fill_normals(RandomStream stream, std::int64_t first, std::span<float> out) const;

 private:
  PhiloxKey key_;
};

}  // namespace msda
