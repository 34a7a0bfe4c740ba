// Slot "metadata": which threads compute the taps (offsets and weights), and how lanes get them.
#pragma once

#include <msda/contract.cuh>
#include <msda/parts/taps.cuh>
#include <msda/sampling.cuh>
#include <msda/slots/points.cuh>
#include <msda/slots/schedule.cuh>

namespace msda {

/// Metadata threads (parts/metadata_threads.cuh) compute the taps of rows for all lanes of these
/// rows and keep the taps of kTapBuffers<K> tiles:
///
/// - use_buffer(n): called by all threads before enter() or read() of a tile, to choose its buffer;
/// - offset(row_in_tile, point) returns the offset of a point, which counts through all levels.
template <class Policy, class K>
concept CooperativeMetadata = requires(Policy& policy) {
  policy.use_buffer(0);
  { policy.offset(0, 0) } -> Same<typename K::Source::Offset>;
};

/// An object for each consumer, and for each producer if the policy is cooperative:
///
/// - enter(point_fetch, flat_row): called by all threads that compute taps when a tile begins.
///   `point_fetch` is the policy of that slot, flat_row(r) the index (b*Q + q)*H + h of row r of
///   the tile. When it returns, the taps that this thread reads are there;
/// - read<level, points>(point_fetch, flat_row, row_in_tile, point, taps): called by consumers.
///   Returns in `taps` this lane's taps for `points` points of that row and level, from `point` on;
/// - `kIsCooperative`: the policy is a CooperativeMetadata.
template <class Policy, class K>
concept MetadataPolicy = requires(Policy& policy, typename K::PointFetch& point_fetch,
                                  RowNumber (*flat_row)(int), Taps<K> (&taps)[kBatch<K>]) {
  requires HasStorage<Policy>;
  requires kConstant<bool, Policy::kIsCooperative>;
  requires !Policy::kIsCooperative || CooperativeMetadata<Policy, K>;
  policy.enter(point_fetch, flat_row);
  policy.template read<0, 1>(point_fetch, 0LL, 0, 0, taps);
};

/// The smallest and the largest width or height of a level.
struct Extents {
  int smallest;
  int largest;
};
template <class Problem>
constexpr Extents extents() {
  Extents found{Problem::width(0), Problem::width(0)};
  const auto add = [&found](int size) {
    if (size < found.smallest) found.smallest = size;
    if (size > found.largest) found.largest = size;
  };
  for (int level = 0; level < Problem::kLevels; ++level) {
    add(Problem::width(level));
    add(Problem::height(level));
  }
  return found;
}
/// Those that a composition's code must suffice for.
template <class K>
inline constexpr Extents kExtents = [] {
  if constexpr (K::Sizes::kFixed) return extents<typename K::Problem>();
  if constexpr (!K::Sizes::kFixed) {
    return Extents{K::kStructure.least, K::Problem::kClass.most};
  }
}();

/// A point's 2x2 pixels: the anchor's offset, and the weights of the columns and of the rows, the
/// latter multiplied by the attention weight.
template <class K>
struct Footprint {
  typename K::Source::Offset offset;
  float x_weight[2];
  float y_weight[2];
  int x, y;  ///< the anchor's pixel
};

/// The footprint of a point on a level, as K::Sizes::at() returns it.
template <class K, class At>
__device__ __forceinline__ Footprint<K> make_footprint(const Point& point, const At& level) {
  constexpr Extents kSizes = kExtents<K>;
  const auto pixels_from = [](float pixel, float location, int size) {
    return K::Arithmetic::pixels_from(pixel, location, size);
  };
  const auto pixel_pair_of = [&](float location, int size) {
    return pixel_pair<K::Layout::kBordered, kSizes.smallest, kSizes.largest>(location, size,
                                                                             pixels_from);
  };
  const PixelPair x = pixel_pair_of(point.x, level.width());
  const PixelPair y = pixel_pair_of(point.y, level.height());
  return {K::Source::offset(level, x.first, y.first),
          {x.weight[0], x.weight[1]},
          {y.weight[0] * point.weight, y.weight[1] * point.weight},
          x.first,
          y.first};
}

/// The only tap of a source that blends the corners itself.
template <class K, class At>
__device__ __forceinline__ Taps<K> make_blended_tap(const Point& point, const At& level) {
  const int width = level.width();
  const int height = level.height();
  const float x = K::Arithmetic::pixels_from(0.0F, point.x, width);
  const float y = K::Arithmetic::pixels_from(0.0F, point.y, height);
  const bool counts = x > -1.0F && x < static_cast<float>(width) && y > -1.0F &&
                      y < static_cast<float>(height);  // false for what is no number
  Taps<K> taps;
  taps.offset = K::Source::offset(counts ? x : 0.0F, counts ? y : 0.0F);
  // Weights that are made here may be NaN, which no place of a point takes away.
  const float none = K::Points::kJoinsRows ? 0.0F * point.weight : 0.0F;
  taps.weight[0] = from_float<typename K::Arithmetic::Weight>(counts ? point.weight : none);
  return taps;
}

/// Taps of a point on a level, as K::Sizes::at() returns it, for the lanes of side `side`. A corner
/// that does not count for `mask` has no weight; sources that blend corners store it as zero.
template <class K, class At>
__device__ __forceinline__ Taps<K> make_taps(const Point& point, const At& level, int side,
                                             const typename K::Points::Mask& mask) {
  using Mapping = typename K::Mapping;
  if constexpr (K::Source::kBlends) {
    return make_blended_tap<K>(point, level);
  } else {
    const Footprint<K> footprint = make_footprint<K>(point, level);
    Taps<K> taps;
    taps.offset = footprint.offset;
    float weight[Mapping::kTaps];
#pragma unroll
    for (int t = 0; t < Mapping::kTaps; ++t) {
      const float column = Mapping::kSides == 2
                               ? (side == 0 ? footprint.x_weight[0] : footprint.x_weight[1])
                               : footprint.x_weight[Mapping::tap_column(t)];
      weight[t] = column * footprint.y_weight[Mapping::tap_row(t)];
      if constexpr (K::Points::Mask::kIsThere) {
        const int of_column = Mapping::kSides == 2 ? side : Mapping::tap_column(t);
        weight[t] *= mask.share(level, footprint.x + of_column, footprint.y + Mapping::tap_row(t));
      }
    }
    if constexpr (K::Arithmetic::kElementPixels == 1) {
      from_floats(weight, taps.weight);
    } else {
#pragma unroll
      for (int t = 0; t < kTaps<K>; ++t) {
        taps.weight[t] = K::Arithmetic::weights(weight[t], weight[t + kTaps<K>]);
      }
    }
    return taps;
  }
}

/// Default: every lane computes its own taps.
template <class K, class Parameters>
class InlineMetadata {
 public:
  static constexpr bool kIsCooperative = false;
  struct Storage {};

  __device__ InlineMetadata(const Arguments& arguments, Storage&)
      : sizes_(arguments), mask_(arguments) {}

  template <class PointFetch, class FlatRow>
  __device__ void enter(const PointFetch& point_fetch, const FlatRow& flat_row) {
    if constexpr (K::Points::Mask::kIsThere) mask_.enter(flat_row(0));
    if constexpr (K::Points::kJoinsRows) {
#pragma unroll
      for (int r = 0; r < K::Mapping::kRowsPerLane; ++r) {
        const int in_tile = min(K::Mapping::row(), K::Mapping::kRows - 1) + r * K::Mapping::kRows;
        const long long flat = flat_row(in_tile);
        rows_.of[r] = K::Points::row_of([&]<int points>(int first) {
          return point_fetch.template points<points>(flat, in_tile, first);
        });
      }
    }
  }

  template <int level, int points, class PointFetch>
  __device__ void read(const PointFetch& point_fetch, long long flat_row, int row_in_tile,
                       int point, Taps<K> (&taps)[kBatch<K>]) const {
#pragma unroll
    for (int p = 0; p < points; ++p) {
      taps[p] = taps_of<level>(point_fetch, flat_row, row_in_tile, point + p);
    }
  }

 protected:
  /// Taps of point `point` of a level, for this lane's side.
  template <int level, class PointFetch>
  __device__ Taps<K> taps_of(const PointFetch& point_fetch, long long flat_row, int row_in_tile,
                             int point) const {
    const auto stored = point_fetch.template points<1>(
        flat_row, row_in_tile, first_point<typename K::Problem>(level) + point);
    return taps_of_stored<level>(stored, 0, row_in_tile);
  }
  /// The same of point i of some that were fetched together.
  template <int level, class Stored>
  __device__ Taps<K> taps_of_stored(const Stored& stored, int i, int row_in_tile) const {
    const auto at = sizes_.at(level);
    const Position place = K::Points::place(stored, i, at, level);
    return make_taps<K>({place.x, place.y, K::Points::weight(stored, i, row_of(row_in_tile))}, at,
                        K::Mapping::side(), mask_);
  }

  typename K::Sizes sizes_;
  typename K::Points::Mask mask_;

 private:
  /// Of the lane's rows of a tile. Selected by comparisons: an index that is no constant would move
  /// the array to memory.
  __device__ typename K::Points::Row row_of(int row_in_tile) const {
    if constexpr (K::Points::kJoinsRows) {
      auto row = rows_.of[0];
#pragma unroll
      for (int r = 1; r < K::Mapping::kRowsPerLane; ++r) {
        if (row_in_tile >= r * K::Mapping::kRows) row = rows_.of[r];
      }
      return row;
    } else {
      return {};
    }
  }

  struct Rows {
    typename K::Points::Row of[K::Mapping::kRowsPerLane];
  };
  struct NoRows {};
  Conditional<K::Points::kJoinsRows, Rows, NoRows> rows_;
};

}  // namespace msda
