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
#include <string_view>
#include <vector>

#include <msda/checked.hpp>
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

  // Sizes that follow throw UsageError when they leave 63 bits; never after validate().
  std::int64_t level_count() const { return static_cast<std::int64_t>(levels.size()); }
  /// Stored pixels of level l, border included.
  std::int64_t level_pixels(std::size_t l) const;
  /// Stored pixels of a row of level l, border included.
  std::int64_t level_pitch(std::size_t l) const;
  /// First pixel of each level inside an image of `value`.
  std::vector<std::int64_t> level_starts() const;
  /// S: stored pixels per image.
  std::int64_t spatial_size() const;
  /// Pixels of all levels, without borders: the queries of an encoder.
  std::int64_t pixels() const;

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

inline constexpr std::int64_t kMaxLevels = 8;

namespace detail {
/// Pixels that a border adds to a row or a column.
inline std::int64_t border_of(ValueLayout layout) {
  return layout == ValueLayout::kZeroBorder ? 2 : 0;
}

inline std::int64_t tensor_bytes(std::string_view field, std::int64_t elements, DType type) {
  return checked_product(
      field, {{"elements", elements}, {"bytes", static_cast<std::int64_t>(size_of(type))}});
}
}  // namespace detail

inline std::int64_t Problem::level_pitch(std::size_t l) const {
  return checked_sum("levels: width", levels.at(l).width, detail::border_of(layout));
}

inline std::int64_t Problem::level_pixels(std::size_t l) const {
  const std::int64_t rows =
      checked_sum("levels: height", levels.at(l).height, detail::border_of(layout));
  return checked_product("levels: pixels", {{"height", rows}, {"width", level_pitch(l)}});
}

inline std::vector<std::int64_t> Problem::level_starts() const {
  std::vector<std::int64_t> starts;
  starts.reserve(levels.size());
  std::int64_t next = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    starts.push_back(next);
    next = checked_sum("spatial_size", next, level_pixels(l));
  }
  return starts;
}

inline std::int64_t Problem::spatial_size() const {
  std::int64_t size = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    size = checked_sum("spatial_size", size, level_pixels(l));
  }
  return size;
}

inline std::int64_t Problem::pixels() const {
  std::int64_t pixels = 0;
  for (const Level& level : levels) {
    pixels = checked_sum(
        "pixels", pixels,
        checked_product("levels: pixels", {{"height", level.height}, {"width", level.width}}));
  }
  return pixels;
}

inline std::int64_t Problem::value_elements() const {
  return checked_product("value", {{"batch", batch},
                                   {"spatial_size", spatial_size()},
                                   {"heads", heads},
                                   {"channels", channels}});
}

inline std::int64_t Problem::weight_elements() const {
  return checked_product("weights", {{"batch", batch},
                                     {"queries", queries},
                                     {"heads", heads},
                                     {"levels", level_count()},
                                     {"points", points}});
}

inline std::int64_t Problem::location_elements() const {
  return checked_product("locations", {{"points in all", weight_elements()}, {"coordinates", 2}});
}

inline std::int64_t Problem::output_elements() const {
  return checked_product(
      "output", {{"batch", batch}, {"queries", queries}, {"heads", heads}, {"channels", channels}});
}

inline std::int64_t Problem::total_bytes() const {
  std::int64_t total = detail::tensor_bytes("value", value_elements(), types.value);
  total = checked_sum("total bytes", total,
                      detail::tensor_bytes("locations", location_elements(), types.location));
  total = checked_sum("total bytes", total,
                      detail::tensor_bytes("weights", weight_elements(), types.weight));
  return checked_sum("total bytes", total,
                     detail::tensor_bytes("output", output_elements(), types.output));
}

inline std::int64_t Problem::gathered_bytes() const {
  return checked_product("gathered bytes",
                         {{"points in all", weight_elements()},
                          {"corners", 4},
                          {"channels", channels},
                          {"bytes", static_cast<std::int64_t>(size_of(types.value))}});
}

inline std::int64_t Problem::flops() const {
  constexpr std::int64_t kFlopsPerPoint = 16;  // 4 blends of 4, the way published figures count
  return checked_product("flops", {{"points in all", weight_elements()},
                                   {"channels", channels},
                                   {"operations", kFlopsPerPoint}});
}

}  // namespace msda
