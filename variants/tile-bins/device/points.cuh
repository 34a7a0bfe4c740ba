// The points of some queries on one level of a head.
#pragma once

#include <backward/cells.cuh>
#include <backward/points.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda::tile_bins {

/// Numbered from 0 on: point `i % kPoints` of query `i / kPoints`, where levels that have fewer
/// points than another one have none in some of the numbers. An object for each thread.
template <class K>
class LevelPoints {
  using Problem = typename K::Problem;
  using Location = typename Problem::Location;
  using Weight = typename Problem::Weight;
  using Made = typename K::Points;

 public:
  using At = Conditional<K::Sizes::kFixed, FixedLevel<Problem>, LevelAt>;
  static constexpr int kPoints = Problem::kPoints;

  /// `queries`: the numbers of the queries in their image, in shared memory.
  __device__ LevelPoints(const backward::Arguments& arguments, const WorkItem& item,
                         const unsigned* queries, int level)
      : arguments_(arguments),
        queries_(queries),
        first_row_(item.image * arguments.queries * Problem::kHeads + item.head),
        number_(level),
        at_(typename K::Sizes(arguments).at(level)),
        mask_(arguments) {
    if constexpr (backward::kIsPadded<K>) mask_.enter(first_row_);
  }

  __device__ const At& at() const { return at_; }
  /// The row (b*Q + q)*H + h of the image's first query.
  __device__ long long first_row() const { return first_row_; }
  /// The query of a point in its image.
  __device__ unsigned query(int i) const { return queries_[i / kPoints]; }
  __device__ Point read(int i) const {
    const int point = i % kPoints;
    const int stored = kPointsDiffer<Problem> ? min(point, points_of<Problem>(number_) - 1) : point;
    Point read =
        read_stored(first_row_ + static_cast<long long>(query(i)) * Problem::kHeads, stored);
    if (stored != point) read.weight = 0.0F;
    return read;
  }
  /// Whether a pixel of the level gets a gradient.
  __device__ bool counts(int x, int y) const {
    if (x >= at_.width() || y >= at_.height()) return false;
    return !backward::kIsPadded<K> || mask_.share(at_, x, y) != 0.0F;
  }

 private:
  __device__ Point read_stored(long long row, int point) const {
    if constexpr (kMakesPoints<K>) {
      const auto of_row = Made::template softmax<1>(arguments_, row);
      const auto stored = Made::template load<1>(arguments_, RowNumber{row, 0},
                                                 first_point<Problem>(number_) + point);
      const Position place = Made::place(stored, 0, at_, number_);
      // A row without weights adds nothing: a pass after the kernel leaves the pixels of its
      // points.
      return {place.x, place.y, Made::is_lost(of_row) ? 0.0F : Made::weight(stored, 0, of_row)};
    } else {
      const long long number = backward::number_of_point<Problem>(row, number_, point);
      const auto load = [](const auto* p) { return ptx::ldg(p); };
      const auto xy = Vector<Location, 2>::read(
          static_cast<const Location*>(arguments_.locations) + 2 * number, load);
      const auto weight =
          Vector<Weight, 1>::read(static_cast<const Weight*>(arguments_.weights) + number, load);
      return {to_float(xy.element[0]), to_float(xy.element[1]), to_float(weight.element[0])};
    }
  }

  const backward::Arguments& arguments_;
  const unsigned* queries_;
  long long first_row_;
  int number_;
  At at_;
  [[no_unique_address]] typename Made::Mask mask_;
};

}  // namespace msda::tile_bins
