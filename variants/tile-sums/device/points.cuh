// The points that a tile looks at, and what one adds to it.
#pragma once

#include <backward/points_of_level.cuh>

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

/// The points that a tile looks at: those of its level and head.
template <class K>
class LevelPoints : public backward::PointsOfLevel<K> {
  using Base = backward::PointsOfLevel<K>;
  using Problem = typename K::Problem;
  using Location = typename Problem::Location;
  using Base::arguments_, Base::level_;
  using Base::kPoints, Base::kQueryPoints;

 public:
  __device__ LevelPoints(const backward::Arguments& arguments, const Tile& tile)
      : Base(arguments, tile.image, tile.head, tile.level), tile_(tile), mask_(arguments) {
    if constexpr (backward::kIsPadded<K>) mask_.enter(this->first_row_);
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
    const unsigned char* const address = this->template of_point<XY>(arguments_.locations, first);
    Read<points> read = {};
#pragma unroll
    for (int n = 0; n < points; ++n) {
      const unsigned point = first + n * step;
      if (point >= last) continue;
      if constexpr (kPointsDiffer<Problem>) {
        if (!this->exists(point)) continue;
      }
      if constexpr (kMakesPoints<K>) {
        read.made[n] = K::Points::place(this->load(point), 0, level_, tile_.level);
      } else {
        read.xy[n] =
            XY::read(kOneAddress ? address + n * kStepBytes
                                 : this->template of_point<XY>(arguments_.locations, point),
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
      if (!this->exists(static_cast<unsigned>(entry.place))) return false;
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
    // Of a row without weights 0: the kernel, or the pass after it, leaves the pixels of its
    // points.
    const float attention = this->attention(static_cast<unsigned>(entry.place), 0.0F);
    const backward::Cell cell =
        backward::make_cell<K>({entry.weight[0], entry.weight[1], attention}, level_, mask_);
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

 private:
  const Tile& tile_;
  [[no_unique_address]] typename K::Points::Mask mask_;
};

}  // namespace msda::tile_sums
