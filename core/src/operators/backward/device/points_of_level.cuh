// The points of one level and head of an image, for passes that take them level by level.
#pragma once

#include <backward/cells.cuh>
#include <backward/points.cuh>
#include <msda/vector.cuh>

namespace msda::backward {

/// Points are numbered in the order of queries: query * kPoints + point. Where levels differ in
/// their points, these are counted as if each level had as many as the one with most.
template <class K>
class PointsOfLevel {
  using Problem = typename K::Problem;
  using Location = typename Problem::Location;
  using Weight = typename Problem::Weight;

 public:
  static constexpr int kPoints = Problem::kPoints;

  __device__ PointsOfLevel(const Arguments& arguments, long long image, int head, int level)
      : arguments_(arguments),
        level_(typename K::Sizes(arguments).at(level)),
        number_(level),
        first_row_(image * arguments.queries * Problem::kHeads + head),
        first_point_(number_of_point<Problem>(first_row_, level, 0)) {}

  __device__ bool exists(unsigned point) const {
    if constexpr (!kPointsDiffer<Problem>) return true;
    return static_cast<int>(point % kPoints) < points_of<Problem>(number_);
  }
  __device__ Position position(unsigned point) const {
    if constexpr (kMakesPoints<K>) {
      return K::Points::place(load(point), 0, level_, number_);
    } else {
      using XY = Vector<Location, 2>;
      const XY xy = XY::read(of_point<XY>(arguments_.locations, point),
                             [](const auto* p) { return ptx::ldg(p); });
      return {to_float(xy.element[0]), to_float(xy.element[1])};
    }
  }
  /// The cell of a point, without its weight.
  __device__ Cell cell(unsigned point) const {
    const Position at = position(point);
    return make_cell<K>({at.x, at.y, 0.0F}, level_);
  }
  /// The attention weight of a point; `lost` where the weights of its row are no numbers.
  __device__ float attention(unsigned point, float lost) const {
    if constexpr (kMakesPoints<K>) {
      const auto of_row = K::Points::template softmax<1>(arguments_, row(point / kPoints));
      if (K::Points::is_lost(of_row)) return lost;
      return K::Points::weight(load(point), 0, of_row);
    } else {
      using One = Vector<Weight, 1>;
      const One one = One::read(of_point<One>(arguments_.weights, point),
                                [](const auto* p) { return ptx::ldg(p); });
      return to_float(one.element[0]);
    }
  }
  /// The row (b*Q + q)*H + h.
  __device__ long long row(unsigned query) const {
    return first_row_ + static_cast<long long>(query) * Problem::kHeads;
  }

 protected:
  static constexpr int kQueryPoints = Problem::kHeads * kRowPoints<Problem>;

  /// What a made point is made of.
  __device__ auto load(unsigned point) const {
    return K::Points::template load<1>(
        arguments_, RowNumber{row(point / kPoints), 0},
        first_point<Problem>(number_) + static_cast<int>(point % kPoints));
  }
  /// The address of what `tensor` has of a point, as one multiply-add.
  template <class Own>
  __device__ const unsigned char* of_point(const void* tensor, unsigned point) const {
    constexpr int kRowBytes = kQueryPoints * Own::kBytes;
    const auto* const first =
        static_cast<const unsigned char*>(tensor) + (first_point_ + point % kPoints) * Own::kBytes;
    return ptx::mad_wide<kRowBytes>(first, point / kPoints);
  }

  const Arguments& arguments_;
  Conditional<K::Sizes::kFixed, FixedLevel<Problem>, LevelAt> level_;
  int number_;  ///< of the level
  long long first_row_;
  long long first_point_;  ///< on the level
};

}  // namespace msda::backward
