// Points as `fused` makes them, and what the gradients need of a row besides: its softmax apart
// from its points, and the derivatives of a point's place.
#pragma once

#include <backward/points.cuh>
#include <fused/points.cuh>
#include <fused_backward/row_lanes.cuh>

namespace msda::fused_backward {

__device__ __forceinline__ float no_number() { return __uint_as_float(0x7fffffffU); }
/// A gradient of zero stays zero, whatever it is multiplied with: a point that does not count may
/// be made of infinite numbers.
__device__ __forceinline__ float chained(float gradient, float factor) {
  return gradient == 0.0F ? 0.0F : gradient * factor;
}

template <class K, class Parameters>
struct MadePoints : fused::Points<K, Parameters> {
  using Made = fused::Points<K, Parameters>;
  using Problem = typename K::Problem;
  using Row = typename Made::Row;

  __device__ static float logit(const msda::Arguments& arguments, long long row, int point) {
    using Logit = typename Problem::Weight;
    const auto* first = static_cast<const Logit*>(arguments.weights) + row * Made::kPointsOfRow;
    const auto one =
        Vector<Logit, 1>::read(first + point, [](const auto* p) { return ptx::ldg(p); });
    return to_float(one.element[0]);
  }

  /// The softmax of a row that `lanes` neighbouring lanes share; with several all lanes of the warp
  /// call it, converged.
  template <int lanes>
  __device__ static Row softmax(const msda::Arguments& arguments, long long row) {
    const int lane = static_cast<int>(simt::lane()) % lanes;
    float most = __uint_as_float(0xff800000U);  // minus infinity
    for (int i = lane; i < Made::kPointsOfRow; i += lanes) {
      most = fmaxf(most, logit(arguments, row, i));
    }
    most = most_over<lanes>(most) * Made::kLog2e;
    float sum = 0.0F;
    for (int i = lane; i < Made::kPointsOfRow; i += lanes) {
      sum += Made::power(logit(arguments, row, i), most);
    }
    return {most, __fdividef(1.0F, sum_over<lanes>(sum))};
  }
  /// A row whose weights are no numbers: it has no logit but minus infinity, or one that is none.
  __device__ static bool is_lost(const Row& row) { return !(row.share >= 0.0F); }

  /// For whole-number sums, which have no NaN: lost rows add nothing to them.
  __device__ static backward::WeightBound bound_of(const backward::Arguments& arguments,
                                                   long long row) {
    const Row of_row = softmax<1>(arguments, row);
    if (is_lost(of_row)) return {0.0F, 0.0F};
    float most = 0.0F;
    for (int level = 0; level < Problem::kLevels; ++level) {
      float sum = 0.0F;
      const int first =
          kPointsDiffer<Problem> ? first_point<Problem>(level) : level * Problem::kPoints;
      for (int p = 0; p < Problem::kPoints; ++p) {
        if (kPointsDiffer<Problem> && p >= points_of<Problem>(level)) continue;
        sum += Made::power(logit(arguments, row, first + p), of_row.most);
      }
      most = fmaxf(most, sum);
    }
    return {most * of_row.share, of_row.share};
  }
};

/// Neighbouring points of a level, and the way from the gradients of their coordinates, in pixels,
/// to those of what they are made of.
template <class K, class Made, int points>
class PointChain {
  using Problem = typename K::Problem;
  static constexpr bool kBoxes = Made::References::kCoordinates == 4;

 public:
  /// From point `first` of a row on.
  __device__ PointChain(const msda::Arguments& arguments, long long row, int first) {
    level_ = level_of<Problem>(first);
    const auto level = typename K::Sizes(arguments).at(level_);
    size_ = {static_cast<float>(level.width()), static_cast<float>(level.height())};
    if constexpr (kBoxes) {
      stored_ = Made::template load<points>(arguments, RowNumber{row, 0}, first);
    }
  }
  __device__ Position of_offset(int i, const Position& of_pixel) const {
    if constexpr (kBoxes) {
      return {chained(of_pixel.x * size_.x, stored_.reference(i, 2) * of_box(i)),
              chained(of_pixel.y * size_.y, stored_.reference(i, 3) * of_box(i))};
    }
    return of_pixel;
  }
  /// x, y, and of a box width as the pixel and height as the weight.
  __device__ backward::Cell of_reference(int i, const Position& of_pixel) const {
    const Position place = {of_pixel.x * size_.x, of_pixel.y * size_.y};
    backward::Cell gradient = {0, place.x, place.y, 0.0F};
    if constexpr (kBoxes) {
      const Position offset = stored_.two(i);
      gradient.pixel = __float_as_uint(chained(place.x, offset.x * of_box(i)));
      gradient.weight = chained(place.y, offset.y * of_box(i));
    }
    return gradient;
  }

 private:
  struct Nothing {};
  __device__ float of_box(int i) const {
    return Made::part_of_box(stored_.first_point + i, level_);
  }
  int level_;
  Position size_;
  [[no_unique_address]] Conditional<kBoxes, typename Made::template Stored<points>, Nothing>
      stored_;
};

}  // namespace msda::fused_backward
