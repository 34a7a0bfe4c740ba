// A point in 8 bytes, for lanes that read all four corners with weights of 16 bits. Three numbers
// give four weights: with row weights (r0, r1) and the right column's share f, the corners have
// weights (1 - f) r0, f r0, (1 - f) r1 and f r1. At a border, where the columns' weights do not add
// up to 1, their sum is a factor of the row weights.
#pragma once

#include <shared_metadata/format.cuh>

namespace msda::shared_metadata {

template <class K>
struct alignas(8) CompactPoint {
  using Weight = typename K::Arithmetic::Weight;
  Weight row[2];
  Weight right;
  unsigned short offset;

  __device__ static CompactPoint of(const Footprint<K>& footprint) {
    // Both columns have a weight only between two pixels, where the weights add up to 1.
    const float sum = footprint.x_weight[0] + footprint.x_weight[1];
    const float rows[2] = {footprint.y_weight[0] * sum, footprint.y_weight[1] * sum};
    CompactPoint point;
    from_floats(rows, point.row);
    point.right = from_float<Weight>(footprint.x_weight[0] == 0.0F ? 1.0F : footprint.x_weight[1]);
    point.offset = static_cast<unsigned short>(footprint.offset);
    return point;
  }
  __device__ Taps<K> taps() const {
    using Half2 = decltype(half2_from_floats(0.0F, 0.0F, Weight()));
    const Half2 rows(row[0], row[1]);
    const Half2 share(right, right);
    const Half2 of_right = __hmul2(rows, share);
    const Half2 of_left = __hfma2(__hneg2(rows), share, rows);
    Taps<K> taps;
    taps.offset = offset;
#pragma unroll
    for (int t = 0; t < kTaps<K>; ++t) {
      const Half2 column = K::Mapping::tap_column(t) == 0 ? of_left : of_right;
      taps.weight[t] = K::Mapping::tap_row(t) == 0 ? column.x : column.y;
    }
    return taps;
  }
};

/// Does not shrink weights of 32 bits, weights of one column for each lane, or those of corners of
/// which a mask takes any.
template <class K>
constexpr bool can_compact() {
  return can_pack<K>() && !K::Points::Mask::kIsThere && K::Arithmetic::kElementPixels == 1 &&
         K::Mapping::kSides == 1 && sizeof(typename K::Arithmetic::Weight) == 2;
}

template <class K>
struct CompactRow {
  static constexpr int kPoints = kRowPoints<typename K::Problem>;
  using Entry = CompactPoint<K>;
  static constexpr int kEntry = static_cast<int>(sizeof(Entry));

  alignas(16) Entry stored[kPoints];
  alignas(16) unsigned char padding[16];

  template <class At>
  __device__ static Entry entry(const Point& point, const At& level, int,
                                const typename K::Points::Mask&) {
    return Entry::of(make_footprint<K>(point, level));
  }
  /// `points` points from point `first` on, a multiple of `points`.
  template <int points>
  __device__ void write(int first, const Entry (&entries)[1][points]) {
    copy_words<points * kEntry, points * kEntry>(stored + first, entries[0]);
  }
  __device__ typename K::Source::Offset offset(int point) const { return stored[point].offset; }
  /// `points` points from point `first` on, a multiple of `multiple`.
  template <int points, int multiple>
  __device__ void read(int first, Taps<K>* taps) const {
    alignas(16) Entry entries[points];
    copy_words<points * kEntry, multiple * kEntry>(entries, stored + first);
#pragma unroll
    for (int p = 0; p < points; ++p) taps[p] = entries[p].taps();
  }
};

}  // namespace msda::shared_metadata
