// What the pass before the kernel leaves for the one after it: the points in the order of their
// cells, and for each cell where its points begin.
#pragma once

#include <backward/arguments.cuh>
#include <backward/slot_list.cuh>
#include <msda/level_points.cuh>
#include <msda/slots/layout.cuh>

namespace msda::sorted_points {

/// A point that counts, on its level. Its cell is the 2x2 stored pixels around it, and has the
/// number of the upper left one.
struct alignas(16) Entry {
  float weight;  ///< attention; NaN where the weights of the row are no numbers
  float x, y;    ///< from the centre of the cell's pixel to the point, -1 to 2
  unsigned query;
};

/// The workspace: entries [B, H, points of a query, Q], those of a level together, and behind them
/// places [B, H, shares, S + L]. A level's entries are those of its shares, one after the other: a
/// share has some neighbouring queries, and room for all of their points.
template <class K, class Parameters>
class Lists {
  using Problem = typename K::Problem;
  using Layout = typename K::Layout;
  static constexpr long long kEntryBytes = sizeof(Entry);
  static constexpr long long kPlaceBytes = Problem::kHeads * Parameters::shares * 4LL;

 public:
  static constexpr int kShares = static_cast<int>(Parameters::shares);
  static constexpr Extent kExtent = [] {
    Extent extent = {};
    if constexpr (backward::kIsAsked<K, backward::kGradValue>) {
      extent.per_query = Problem::kHeads * kRowPoints<Problem> * kEntryBytes;
      extent.per_image = Problem::kLevels * kPlaceBytes;
      if constexpr (K::Sizes::kFixed) {
        extent.per_image += Problem::kSpatialSize * kPlaceBytes;
      } else {
        extent.per_pixel = kPlaceBytes;
      }
    }
    return extent;
  }();

  __device__ Lists(const backward::Arguments& arguments, long long image, int head, int level)
      : queries_(arguments.queries), points_(points_of<Problem>(level)) {
    auto* const workspace =
        static_cast<unsigned char*>(arguments.workspace[backward::kAccumulator]);
    const typename K::Sizes sizes(arguments);
    const long long plane = image * Problem::kHeads + head;
    const long long all = arguments.batch * Problem::kHeads * kRowPoints<Problem> * queries_;
    entries_ = reinterpret_cast<Entry*>(workspace) +
               (plane * kRowPoints<Problem> + first_point<Problem>(level)) * queries_;
    share_stride_ = sizes.pixels() + Problem::kLevels;
    places_ = reinterpret_cast<unsigned*>(workspace + all * kEntryBytes) +
              plane * kShares * share_stride_ + start_of<Layout>(sizes.at(level)) + level;
  }

  /// The first query of a share; the one behind the last share is the number of queries.
  __device__ long long first_query(int share) const { return queries_ * share / kShares; }
  /// The level's entries. Those of a share are in the order of their cells, and those of a cell in
  /// that of their queries.
  __device__ Entry* entries() const { return entries_; }
  __device__ unsigned first_entry(int share) const {
    return static_cast<unsigned>(first_query(share)) * static_cast<unsigned>(points_);
  }
  /// For each stored pixel of the level the first of its entries among those of the share, and one
  /// more: their number.
  __device__ unsigned* places(int share) const { return places_ + share * share_stride_; }

 private:
  long long queries_;
  int points_;  ///< of a query
  Entry* entries_;
  unsigned* places_;
  long long share_stride_;
};

}  // namespace msda::sorted_points
