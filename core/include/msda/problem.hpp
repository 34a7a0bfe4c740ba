// A Problem is the shapes and types of one multi-scale deformable attention:
//
//   out[b,q,h,c] = sum over l,p of attn[b,q,h,l,p] * bilinear(value_l[b,:,:,h,c], x, y)
//   x = loc_x * W_l - 0.5,  y = loc_y * H_l - 0.5          (Zhu et al., Deformable DETR, 2021)
//
// The tensors of an operator on it are listed in msda/operators/: those of the one above in
// forward.hpp.
#pragma once

#include <cstdint>
#include <string>
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

/// The reference points of operators that make locations of offsets.
struct References {
  std::int64_t coordinates = 2;  ///< 2: x, y; 4: also width and height of a box
  /// 0: a query has one for each level; otherwise as many for all levels together, of which point p
  /// takes number p % anchors.
  std::int64_t anchors = 0;
  /// Of 4: an offset of 1, divided by the points of its level, moves by so much of the box.
  double scale = 0.5;
  /// One for each point of a row, in place of the division; empty: none.
  std::vector<double> point_scales = {};
  friend bool operator==(const References&, const References&) = default;
};

struct Problem {
  std::string name;            ///< preset or user's label; not part of the shape
  std::int64_t batch = 1;      ///< B, images
  std::int64_t queries = 1;    ///< Q, per image
  std::int64_t heads = 1;      ///< H
  std::int64_t channels = 32;  ///< C, per head
  std::int64_t points = 4;     ///< P, per head and level; the most of a level where these differ
  std::vector<Level> levels;   ///< L entries
  /// Points of each level where these differ, else empty. A row then has the points of all levels
  /// one after the other, as many as there are.
  std::vector<std::int64_t> level_points;
  ValueLayout layout = ValueLayout::kPlain;
  Types types;
  References references;
  /// Whether a mask says which pixels of `value` are padding and count as zero.
  bool padding = false;
  /// Outputs of the operator that nobody asks for, bit i for tensor i of its list: a frozen
  /// backbone needs no grad_value. They are neither allocated nor computed.
  std::uint32_t unasked = 0;

  /// Reference points of a query.
  std::int64_t reference_count() const {
    return references.anchors == 0 ? level_count() : references.anchors;
  }

  std::int64_t points_of(std::size_t l) const {
    return level_points.empty() ? points : level_points.at(l);
  }
  /// Points of a row before those of level l; of level L, all of the row.
  std::int64_t first_point(std::size_t l) const;
  /// Of one head and query, on all levels.
  std::int64_t row_points() const { return first_point(levels.size()); }
  /// The level that point `point` of a row lies on.
  std::size_t level_of(std::int64_t point) const;

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

  friend bool operator==(const Problem&, const Problem&) = default;
};

inline constexpr std::int64_t kMaxLevels = 8;

namespace detail {
/// Pixels that a border adds to a row or a column.
inline std::int64_t border_of(ValueLayout layout) {
  return layout == ValueLayout::kZeroBorder ? 2 : 0;
}
}  // namespace detail

inline std::int64_t Problem::first_point(std::size_t l) const {
  if (level_points.empty()) return static_cast<std::int64_t>(l) * points;
  std::int64_t first = 0;
  for (std::size_t before = 0; before < l; ++before) first += level_points.at(before);
  return first;
}

inline std::size_t Problem::level_of(std::int64_t point) const {
  if (level_points.empty()) return static_cast<std::size_t>(point / points);
  std::size_t level = 0;
  while (point >= level_points.at(level)) point -= level_points[level++];
  return level;
}

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

}  // namespace msda
