// Cells: where the points of a warp's rows lie, computed once for all lanes, in shared memory.
#pragma once

#include <backward/arguments.cuh>
#include <backward/lanes.cuh>
#include <backward/level.cuh>
#include <msda/level_points.cuh>
#include <msda/sampling.cuh>
#include <msda/slots/points.cuh>
#include <msda/slots/schedule.cuh>

namespace msda::backward {

/// A point and the 2x2 stored pixels around it, which all exist (sampling.cuh, PixelPair).
struct alignas(16) Cell {
  /// The upper left one, in its image: pixel_of(). With a padding mask the highest bits are flags
  /// of the corners that it masks: is_masked().
  unsigned pixel;
  float x, y;    ///< from its centre to the point, -1 to 2; kAway: the point does not count
  float weight;  ///< attention
};
inline constexpr float kAway = 4.0F;
/// A location outside every level.
inline constexpr float kNowhere = 1.0e9F;

template <class K>
inline constexpr bool kIsPadded = K::Points::Mask::kIsThere;
/// A padded image has fewer than 2^28 pixels.
inline constexpr int kMaskBit = 28;

template <class K>
__device__ __forceinline__ unsigned pixel_of(const Cell& cell) {
  if constexpr (kIsPadded<K>) return cell.pixel & ((1U << kMaskBit) - 1U);
  return cell.pixel;
}
/// Whether a corner, column + 2 * row, counts as zero and gets no gradient.
template <class K>
__device__ __forceinline__ bool is_masked(const Cell& cell, int corner) {
  if constexpr (kIsPadded<K>) return (cell.pixel >> (kMaskBit + corner) & 1U) != 0;
  return false;
}

struct OnAxis {
  int first;
  float distance;
  bool counts;
};

/// A location on an axis of `size` pixels, at most `largest`.
template <int largest>
__device__ __forceinline__ OnAxis on_axis(float location, int size) {
  const float at = pixels_from(0.0F, location, size);
  const int highest = max(size - 2, 0);
  const ptx::Floor first = pixel_before<largest>(at, 0, highest);
  const float distance = pixels_from(first.value, location, size);
  // The coordinate's own rounding decides the cell, also where the distance is exact.
  const float cell = at < 0.0F ? -1.0F : at >= first.value + 1.0F ? 1.0F : 0.0F;
  return {first.integer, fmaxf(distance, cell), at > -1.0F && at < static_cast<float>(size)};
}

/// Flags of the corners that the mask of an image masks, whose upper left one is (column, row).
template <class Mask, class At>
__device__ __forceinline__ unsigned masked_corners(const Mask& mask, const At& level, int column,
                                                   int row) {
  unsigned flags = 0;
#pragma unroll
  for (int corner = 0; corner < 4; ++corner) {
    const bool counts = mask.share(level, column + corner % 2, row + corner / 2) != 0.0F;
    flags |= counts ? 0U : 1U << (kMaskBit + corner);
  }
  return flags;
}

/// The cell of a point on a level, as K::Sizes::at() returns it. `mask`: of the point's image, or
/// nothing where nobody asks which corners are masked.
template <class K, class At, class... Mask>
__device__ __forceinline__ Cell make_cell(const Point& point, const At& level,
                                          const Mask&... mask) {
  constexpr int kLargest = kExtents<K>.largest;
  const OnAxis x = on_axis<kLargest>(point.x, level.width());
  const OnAxis y = on_axis<kLargest>(point.y, level.height());
  const bool counts = x.counts && y.counts;
  Cell cell;
  cell.pixel = static_cast<unsigned>(
      pixel_of_image<typename K::Layout>(level, counts ? x.first : 0, counts ? y.first : 0));
  cell.x = counts ? x.distance : kAway;
  cell.y = counts ? y.distance : kAway;
  cell.weight = counts ? point.weight : 0.0F;
  if constexpr (kIsPadded<K>) {
    ((cell.pixel |= counts ? masked_corners(mask, level, x.first, y.first) : 0U), ...);
  }
  return cell;
}

/// The number among all points of point `point` of a row from a level's first one on.
template <class Problem>
__device__ __forceinline__ long long number_of_point(long long row, int level, int point) {
  if constexpr (kPointsDiffer<Problem>) {
    return row * kRowPoints<Problem> + first_point<Problem>(level) + point;
  }
  return (row * Problem::kLevels + level) * Problem::kPoints + point;
}

/// The cells of the rows that each warp has at a time. Rows are one cell apart from whole banks, so
/// that lanes of several rows read from different ones.
template <class K>
struct Cells {
  static constexpr int kPoints =
      K::Lanes::kLevelsApart ? K::Problem::kPoints : kRowPoints<typename K::Problem>;
  static constexpr int kWarpRows = K::Lanes::kWarpRows;
  struct Storage {
    Cell cell[K::Lanes::kThreads / simt::kWarpLanes][kWarpRows][kPoints + 1];
  };

  /// Called by all lanes of a warp, converged: computes the cells of its rows; rows.number(r) is
  /// the index (b*Q + q)*H + h of its row r, whose points do not count unless rows.exists(r). When
  /// it returns, all lanes see them.
  template <class Rows>
  __device__ static void compute(const msda::Arguments& arguments, Storage& storage,
                                 const Rows& rows, int level) {
    using Problem = typename K::Problem;
    using Location = typename Problem::Location;
    using Weight = typename Problem::Weight;
    using XY = Vector<Location, 2>;
    auto& cells = storage.cell[simt::warp()];
    const typename K::Sizes sizes(arguments);
    simt::syncwarp();  // the rows before have been read
#pragma unroll
    for (int i0 = 0; i0 < kWarpRows * kPoints; i0 += simt::kWarpLanes) {
      const int i = i0 + static_cast<int>(simt::lane());
      if (i >= kWarpRows * kPoints) break;
      const int row = i / kPoints;
      const int point = i % kPoints;
      constexpr bool kOneOfMany = K::Lanes::kLevelsApart && kPointsDiffer<Problem>;
      if (kOneOfMany && point >= points_of<Problem>(level)) continue;
      const long long number = number_of_point<Problem>(rows.number(row), level, point);
      const XY xy = XY::read(static_cast<const Location*>(arguments.locations) + 2 * number,
                             [](const auto* p) { return K::Cache::load_stream(p); });
      const auto weight =
          Vector<Weight, 1>::read(static_cast<const Weight*>(arguments.weights) + number,
                                  [](const auto* p) { return K::Cache::load_stream(p); });
      const float x = rows.exists(row) ? to_float(xy.element[0]) : kNowhere;
      const Cell cell = make_cell<K>({x, to_float(xy.element[1]), to_float(weight.element[0])},
                                     sizes.at(level + (kOneOfMany ? 0 : level_of<Problem>(point))));
      cells[row][point] = cell;
    }
    simt::syncwarp();
  }
};

}  // namespace msda::backward
