// A Problem is the shapes and types of one multi-scale deformable attention:
//
//   out[b,q,h,c] = sum over l,p of attn[b,q,h,l,p] * bilinear(value_l[b,:,:,h,c], x, y)
//   x = loc_x * W_l - 0.5,  y = loc_y * H_l - 0.5          (Zhu et al., Deformable DETR, 2021)
//
// Tensors are dense and row-major (the last index varies fastest):
//   value     [B, S, H, C]           S = sum of the levels' stored pixels
//   locations [B, Q, H, L, P, 2]     (x, y) in units of the level, 0..1 inside the image
//   weights   [B, Q, H, L, P]
//   output    [B, Q, H, C]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <msda/dtype.hpp>

namespace msda {

/// Size of one feature level in pixels, without any border.
struct Level {
  std::int64_t height = 0;
  std::int64_t width = 0;
  friend bool operator==(const Level&, const Level&) = default;
};

/// How the pixels of a level lie in `value`.
enum class ValueLayout {
  kPlain,       ///< H_l rows of W_l pixels
  kZeroBorder,  ///< the same inside a border of one zero pixel: H_l + 2 rows of W_l + 2 pixels
};

struct Problem {
  std::string name;            ///< preset or user's label; not part of the shape
  std::int64_t batch = 1;      ///< B, images
  std::int64_t queries = 1;    ///< Q, per image
  std::int64_t heads = 1;      ///< H
  std::int64_t channels = 32;  ///< C, per head
  std::int64_t points = 4;     ///< P, per head and level
  std::vector<Level> levels;   ///< L entries
  ValueLayout layout = ValueLayout::kPlain;
  Types types;

  std::int64_t level_count() const { return static_cast<std::int64_t>(levels.size()); }
  /// Stored pixels of level l, border included.
  std::int64_t level_pixels(std::size_t l) const;
  /// Stored pixels of a row of level l, border included.
  std::int64_t level_pitch(std::size_t l) const;
  /// First pixel of each level inside an image of `value`.
  std::vector<std::int64_t> level_starts() const;
  /// S: stored pixels per image.
  std::int64_t spatial_size() const;

  std::int64_t value_elements() const;
  std::int64_t location_elements() const;
  std::int64_t weight_elements() const;
  std::int64_t output_elements() const;
  /// Bytes of the four tensors together: what one input set takes in memory.
  std::int64_t total_bytes() const;

  /// Bytes that must cross DRAM at least once: each input read once, the output written once.
  std::int64_t minimum_dram_bytes() const { return total_bytes(); }
  /// Bytes gathered from `value` when every point reads its four corners: B*Q*H*L*P*4*C*size.
  std::int64_t gathered_bytes() const;
  /// Arithmetic operations as the field counts them: 16 per point and output element.
  std::int64_t flops() const;

  friend bool operator==(const Problem&, const Problem&) = default;
};

/// Throws UsageError that names the field, its value and the rule it breaks: sizes positive, at
/// most kMaxLevels levels, every tensor's byte count inside 63 bits.
void validate(const Problem& problem);

inline constexpr std::int64_t kMaxLevels = 8;

/// Throws UsageError unless `starts` and `spatial_size` are what `problem.levels` imply. The
/// message says which level starts where, where it ends, and what the consistent value is.
void validate_level_starts(const Problem& problem, const std::vector<std::int64_t>& starts,
                           std::int64_t spatial_size);

/// "B=48 Q=15422 H=1 C=32 L=4 P=8 fp16": for messages and reports.
std::string describe(const Problem& problem);

}  // namespace msda
