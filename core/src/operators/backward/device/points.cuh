// Slot "points" where points are made of other tensors, beside what the gathering skeletons ask of
// such a policy (msda/slots/points.cuh): the gradients of these tensors, of those of the points.
#pragma once

#include <backward/cells.cuh>
#include <msda/slots/points.cuh>

namespace msda::backward {

/// Until a row is finished each of its cells holds what the gradients of its point are made of, in
/// place of pixel and coordinates: the gradient of the weight, and those of the coordinates in
/// pixels before they are multiplied with the weight.
__device__ __forceinline__ void keep_point(Cell& cell, float of_weight, float of_x, float of_y) {
  cell.pixel = __float_as_uint(of_weight);
  cell.x = of_x;
  cell.y = of_y;
}
__device__ __forceinline__ float kept_of_weight(const Cell& cell) {
  return __uint_as_float(cell.pixel);
}

/// What meets in a pixel of the values at most, of one row: the sum of the magnitudes of its
/// weights in the level where that is most, and the largest of them.
struct WeightBound {
  float level;
  float one;
};

/// Static members, all called by all lanes of a warp, converged, but for bound_of():
///
/// - `kAsksForMore`: somebody asks for a gradient that needs those of points, and is neither that
///   of the tensor in the place of locations nor of that in the place of weights;
/// - make_cells(arguments, cells, rows, level) leaves the cells of the warp's rows, as
///   Cells::compute() does;
/// - finish_row(arguments, cells, row, exists, level): the cells of this lane's row are kept
///   points; stores the gradients;
/// - leave_nan(arguments, fill): fill(first, count) leaves NaN in numbers that lie between the
///   kernel and what follows it, of which all gradients are made that are not those of `backward`;
/// - bound_of(arguments, row): called by any thread, for whole-number sums.
template <class Points, class K>
concept HasGradientsOfPoints = requires(const Arguments& arguments, Cell* cells) {
  requires kConstant<bool, Points::kAsksForMore>;
  Points::finish_row(arguments, cells, 0LL, true, 0);
  { Points::bound_of(arguments, 0LL) } -> Same<WeightBound>;
};

}  // namespace msda::backward
