// The points that a tile looks at, and what one adds to it.
#pragma once

#include <backward/cells.cuh>
#include <backward/points.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda::tile_sums {

/// Neighbouring stored pixels of a level of one image and head, as many as a block sums at a time.
struct Tile {
  long long image;
  int head;
  int level;
  int first;  ///< pixel of the image
  int count;
  float from, to;  ///< points at these rows of pixels may touch it, the last one excluded
  float begin,
      end;  ///< points whose upper or lower left pixel is in between may, from the level on
};

/// A point that may touch a tile, and when it is finished what it adds to the corners there.
struct alignas(16) Entry {
  float weight[4];  ///< of corners, column + 2 * row, 0 outside the tile; at first x and y
  int place;        ///< the upper left pixel, seen from the tile's first one; at first the point
  int right;        ///< pixels to the next column, and to the next row
  int below;
  unsigned query;
};

/// The points of one level and head of an image, in the order of queries.
template <class K>
class LevelPoints {
  using Problem = typename K::Problem;
  using Location = typename Problem::Location;
  using Weight = typename Problem::Weight;
  static constexpr int kPoints = Problem::kPoints;
  static constexpr int kQueryPoints = Problem::kHeads * kRowPoints<Problem>;

 public:
  __device__ LevelPoints(const backward::Arguments& arguments, const Tile& tile)
      : arguments_(arguments),
        tile_(tile),
        level_(typename K::Sizes(arguments).at(tile.level)),
        first_row_(tile.image * arguments.queries * Problem::kHeads + tile.head),
        first_point_(kPointsDiffer<Problem>
                         ? backward::number_of_point<Problem>(first_row_, tile.level, 0)
                         : (first_row_ * Problem::kLevels + tile.level) * kPoints),
        mask_(arguments) {
    if constexpr (backward::kIsPadded<K>) mask_.enter(first_row_);
  }

  /// Some points, `step` apart: all loads are issued before one is looked at, where possible from
  /// one address.
  template <int points>
  struct Read {
    Vector<Location, 2> xy[points];
    Position made[kMakesPoints<K> ? points : 1];  ///< in place of these
  };
  template <int points, unsigned step>
  __device__ Read<points> read(unsigned first, unsigned last) const {
    using XY = Vector<Location, 2>;
    constexpr bool kOneAddress = step % kPoints == 0;
    constexpr long long kStepBytes =
        static_cast<long long>(step / kPoints) * kQueryPoints * XY::kBytes;
    const unsigned char* const address = of_point<XY>(arguments_.locations, first);
    Read<points> read = {};
#pragma unroll
    for (int n = 0; n < points; ++n) {
      const unsigned point = first + n * step;
      if (point >= last) continue;
      if constexpr (kPointsDiffer<Problem>) {
        if (!exists(point)) continue;
      }
      if constexpr (kMakesPoints<K>) {
        read.made[n] = K::Points::place(load(point), 0, level_, tile_.level);
      } else {
        read.xy[n] = XY::read(
            kOneAddress ? address + n * kStepBytes : of_point<XY>(arguments_.locations, point),
            [](const auto* p) { return ptx::ldg(p); });
      }
    }
    return read;
  }
  /// Number n of them, which is point `point`.
  template <int points>
  __device__ static Entry entry(const Read<points>& read, int n, unsigned point) {
    Entry entry;
    entry.query = point / kPoints;
    entry.place = static_cast<int>(point);
    if constexpr (kMakesPoints<K>) {
      entry.weight[0] = read.made[n].x;
      entry.weight[1] = read.made[n].y;
    } else {
      entry.weight[0] = to_float(read.xy[n].element[0]);
      entry.weight[1] = to_float(read.xy[n].element[1]);
    }
    return entry;
  }

  /// Whether a point may touch the tile. Most are told by their row of pixels.
  __device__ bool may_touch(const Entry& entry) const {
    if constexpr (kPointsDiffer<Problem>) {
      if (!exists(static_cast<unsigned>(entry.place))) return false;
    }
    const float y = pixels_from(0.0F, entry.weight[1], level_.height());
    if (!(y >= tile_.from && y < tile_.to)) return false;
    const float x = pixels_from(0.0F, entry.weight[0], level_.width());
    const auto pitch = static_cast<float>(pitch_of<typename K::Layout>(level_));
    const float upper = fmaf(floorf(y), pitch, x);
    const float lower = upper + pitch;
    return (upper >= tile_.begin && upper < tile_.end) ||
           (lower >= tile_.begin && lower < tile_.end);
  }

  /// Makes of a point's place what it adds to the tile.
  __device__ void finish(Entry& entry) const {
    const backward::Cell cell =
        backward::make_cell<K>({entry.weight[0], entry.weight[1], attention(entry)}, level_, mask_);
    entry.place = static_cast<int>(backward::pixel_of<K>(cell)) - tile_.first;
    entry.right = level_.width() == 1 ? 0 : 1;
    entry.below = level_.height() == 1 ? 0 : pitch_of<typename K::Layout>(level_);
#pragma unroll
    for (int corner = 0; corner < 4; ++corner) {
      const bool is_right = corner % 2 != 0;
      const bool is_below = corner / 2 != 0;
      const int pixel = entry.place + is_right * entry.right + is_below * entry.below;
      const bool counts = pixel >= 0 && pixel < tile_.count && (!is_right || entry.right != 0) &&
                          (!is_below || entry.below != 0) && !backward::is_masked<K>(cell, corner);
      const float share = backward::share(cell.x, is_right) * backward::share(cell.y, is_below);
      entry.weight[corner] = counts && share != 0.0F ? cell.weight * share : 0.0F;
    }
  }

  /// The row (b*Q + q)*H + h.
  __device__ long long row(unsigned query) const {
    return first_row_ + static_cast<long long>(query) * Problem::kHeads;
  }

 private:
  /// Where levels differ in their points, these are counted as if each had as many as the one with
  /// most.
  __device__ bool exists(unsigned point) const {
    return static_cast<int>(point % kPoints) < points_of<Problem>(tile_.level);
  }
  /// What a made point is made of.
  __device__ auto load(unsigned point) const {
    return K::Points::template load<1>(
        arguments_, RowNumber{row(point / kPoints), 0},
        first_point<Problem>(tile_.level) + static_cast<int>(point % kPoints));
  }
  /// Of a row without weights 0: the pass after the kernel leaves the pixels of its points.
  __device__ float attention(const Entry& entry) const {
    if constexpr (kMakesPoints<K>) {
      const auto of_row = K::Points::template softmax<1>(arguments_, row(entry.query));
      if (K::Points::is_lost(of_row)) return 0.0F;
      return K::Points::weight(load(static_cast<unsigned>(entry.place)), 0, of_row);
    } else {
      using One = Vector<Weight, 1>;
      const One one =
          One::read(of_point<One>(arguments_.weights, static_cast<unsigned>(entry.place)),
                    [](const auto* p) { return ptx::ldg(p); });
      return to_float(one.element[0]);
    }
  }
  /// The address of what `tensor` has of a point, as one multiply-add.
  template <class Own>
  __device__ const unsigned char* of_point(const void* tensor, unsigned point) const {
    constexpr int kRowBytes = kQueryPoints * Own::kBytes;
    const auto* const first =
        static_cast<const unsigned char*>(tensor) + (first_point_ + point % kPoints) * Own::kBytes;
    return ptx::mad_wide<kRowBytes>(first, point / kPoints);
  }

  const backward::Arguments& arguments_;
  const Tile& tile_;
  Conditional<K::Sizes::kFixed, FixedLevel<Problem>, LevelAt> level_;
  long long first_row_;
  long long first_point_;  ///< on the level
  [[no_unique_address]] typename K::Points::Mask mask_;
};

}  // namespace msda::tile_sums
