// From locations and attention weights to corner addresses and corner weights, vectorised over
// points. Included by row_kernel.cpp alone.
#pragma once

#include <hwy/highway.h>

#include "convert_kernel.hpp"
#include "row_plan.hpp"

namespace msda::cpu_rows::HWY_NAMESPACE {

/// location * size - (whole + 0.5) for a `whole` near location * size - 0.5, without the rounding
/// error of the product: on a level 300 pixels wide that error alone would cost a relative 1e-5 of
/// the output.
template <class D>
HWY_INLINE hn::Vec<D> fraction(D d, hn::Vec<D> location, hn::Vec<D> size, hn::Vec<D> whole) {
  const auto centre = hn::Add(whole, hn::Set(d, 0.5F));
#if HWY_NATIVE_FMA
  return hn::MulSub(location, size, centre);
#else
  // The upper 12 bits of the location times a size below 4096 is exact, and so is the difference.
  const hn::RebindToUnsigned<D> du;
  const auto upper_bits = hn::And(hn::BitCast(du, location), hn::Set(du, 0xFFFFF000U));
  const auto upper = hn::BitCast(d, upper_bits);
  const auto lower = hn::Sub(location, upper);
  return hn::Add(hn::Sub(hn::Mul(upper, size), centre), hn::Mul(lower, size));
#endif
}

/// One axis of a vector of points.
template <class D>
struct Axis {
  hn::Vec<D> whole;     ///< of the left or upper corner
  hn::Vec<D> fraction;  ///< from there, 0 to 1
  hn::Mask<D> counts;   ///< -1 < coordinate < size; false for NaN
  hn::Mask<D> inside;   ///< both corners lie in the level
};

template <class D>
HWY_INLINE Axis<D> locate(D d, hn::Vec<D> location, hn::Vec<D> size) {
  const auto one = hn::Set(d, 1.0F);
  const auto coordinate = hn::Sub(hn::Mul(location, size), hn::Set(d, 0.5F));
  const auto whole = hn::Floor(coordinate);
  return {whole, fraction(d, location, size, whole),
          hn::And(hn::Gt(coordinate, hn::Neg(one)), hn::Lt(coordinate, size)),
          hn::And(hn::Ge(whole, hn::Zero(d)), hn::Lt(hn::Add(whole, one), size))};
}

/// Fills `out` for the points of one query and head. `locations` and `weights` may be read up to a
/// whole number of vectors.
inline void compute_points(const RowPlan& plan, const float* locations, const float* weights,
                           const PointArrays& out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < plan.points; i += lanes) {
    hn::Vec<decltype(d)> location_x;
    hn::Vec<decltype(d)> location_y;
    hn::LoadInterleaved2(d, locations + 2 * i, location_x, location_y);
    const auto x = locate(d, location_x, hn::LoadU(d, plan.width + i));
    const auto y = locate(d, location_y, hn::LoadU(d, plan.height + i));

    const auto attention = hn::LoadU(d, weights + i);
    const auto bottom = hn::Mul(attention, y.fraction);
    const auto top = hn::Sub(attention, bottom);
    const auto bottom_right = hn::Mul(bottom, x.fraction);
    const auto top_right = hn::Mul(top, x.fraction);
    hn::StoreU(hn::Sub(top, top_right), d, out.weight[0] + i);
    hn::StoreU(top_right, d, out.weight[1] + i);
    hn::StoreU(hn::Sub(bottom, bottom_right), d, out.weight[2] + i);
    hn::StoreU(bottom_right, d, out.weight[3] + i);

    const auto counts = hn::And(x.counts, y.counts);
    const auto all = plan.zero_border ? counts : hn::And(x.inside, y.inside);
    const auto zero = hn::Zero(d);
    hn::StoreU(hn::ConvertTo(di, hn::IfThenElse(counts, x.whole, zero)), di, out.column + i);
    hn::StoreU(hn::ConvertTo(di, hn::IfThenElse(counts, y.whole, zero)), di, out.row + i);
    const auto some = hn::IfThenElseZero(counts, hn::Set(d, 1.0F));
    const auto reach = hn::Add(some, hn::IfThenElseZero(all, hn::Set(d, 1.0F)));
    hn::StoreU(hn::ConvertTo(di, reach), di, out.reach + i);
  }
}

/// Turns rows and columns into byte offsets. 64-bit: a level may have more than 2^31 pixels.
inline void compute_offsets(const RowPlan& plan, const PointArrays& points) {
  for (std::int64_t i = 0; i < plan.points; ++i) {
    points.offset[i] =
        plan.first[i] + points.row[i] * plan.pitch[i] + points.column[i] * plan.pixel_bytes;
  }
}

}  // namespace msda::cpu_rows::HWY_NAMESPACE
