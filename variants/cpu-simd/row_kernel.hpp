// The gather: sums the corners of one query's points in registers. Included by row_kernel.cpp
// alone.
#pragma once

#include <hwy/highway.h>

#include "convert_kernel.hpp"
#include "point_kernel.hpp"
#include "row_plan.hpp"

namespace msda::cpu_rows::HWY_NAMESPACE {

/// Floats in the widest vector of this instruction set.
constexpr std::int64_t kWidest = hn::MaxLanes(hn::ScalableTag<float>());

/// Sums of kVectors vectors of channels. With few vectors the two pixel rows of a point get sums of
/// their own, because one chain of additions for each vector would leave the FMA units waiting.
template <class D, int kVectors>
class Sums {
 public:
  HWY_INLINE explicit Sums(D d) {
#pragma GCC unroll 16
    for (int k = 0; k < kChains * kVectors; ++k) sums_[k] = hn::Zero(d);
  }

  /// Adds weight times the channels at `from`, a corner of pixel row 0 (top) or 1 (bottom).
  template <class T>
  HWY_INLINE void add(D d, int pixel_row, float weight, const unsigned char* from) {
    const auto factor = hn::Set(d, weight);
    const int chain = pixel_row % kChains;
    const T* channels = reinterpret_cast<const T*>(from);
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      auto& sum = sums_[chain * kVectors + v];
      sum = hn::MulAdd(factor, load_as_float(d, channels + v * hn::MaxLanes(d)), sum);
    }
  }

  HWY_INLINE void store(D d, float* to) const {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      const auto sum = kChains == 1 ? sums_[v] : hn::Add(sums_[v], sums_[kVectors + v]);
      hn::StoreU(sum, d, to + v * hn::MaxLanes(d));
    }
  }

 private:
  static constexpr int kChains = kVectors > 4 ? 1 : 2;
  hn::Vec<D> sums_[kChains * kVectors];
};

/// Adds those corners of point i that lie in the level. `corner` is the address of the top left
/// one, which may be among those that do not exist.
template <class T, class D, int kVectors>
HWY_NOINLINE void add_corners(D d, const RowPlan& plan, const PointArrays& points, std::int64_t i,
                              const unsigned char* plane, Sums<D, kVectors>& sums) {
  for (int corner = 0; corner < 4; ++corner) {
    const int down = corner / 2;
    const int right = corner % 2;
    const auto column = static_cast<float>(points.column[i] + right);
    const auto row = static_cast<float>(points.row[i] + down);
    if (column < 0 || row < 0 || column >= plan.width[i] || row >= plan.height[i]) continue;
    const std::int64_t offset = points.offset[i] + down * plan.pitch[i] + right * plan.pixel_bytes;
    sums.template add<T>(d, down, points.weight[corner][i], plane + offset);
  }
}

/// Output channels [c, c + kVectors * lanes) of one query: `plane` points to channel c of pixel 0.
template <class T, int kVectors, class D>
void gather(D d, const RowPlan& plan, const PointArrays& points, const unsigned char* plane,
            float* output) {
  Sums<D, kVectors> sums(d);
  for (std::int64_t i = 0; i < plan.points; ++i) {
    if (points.reach[i] == kAllCorners) {
      const unsigned char* top = plane + points.offset[i];
      const unsigned char* bottom = top + plan.pitch[i];
      sums.template add<T>(d, 0, points.weight[0][i], top);
      sums.template add<T>(d, 1, points.weight[2][i], bottom);
      sums.template add<T>(d, 0, points.weight[1][i], top + plan.pixel_bytes);
      sums.template add<T>(d, 1, points.weight[3][i], bottom + plan.pixel_bytes);
    } else if (points.reach[i] == kSomeCorners) {
      Sums<D, kVectors> copy = sums;  // keeps `sums` itself out of memory
      add_corners<T>(d, plan, points, i, plane, copy);
      sums = copy;
    }
  }
  sums.store(d, output);
}

/// All channels of one query, `kLanes` wide: whole vectors in groups, then the rest by one vector
/// that overlaps the last one. Needs at least kLanes channels; `kMostVectors` is how many a group
/// may have.
template <class T, std::int64_t kLanes, std::int64_t kMostVectors>
HWY_INLINE void gather_channels(const RowPlan& plan, const PointArrays& points,
                                const unsigned char* plane, float* output) {
  const hn::CappedTag<float, static_cast<std::size_t>(kLanes)> d;
  const auto gather_group = [&]<int kVectors>(std::int64_t c) {
    const std::int64_t bytes = c * static_cast<std::int64_t>(sizeof(T));
    gather<T, kVectors>(d, plan, points, plane + bytes, output + c);
    return c + kVectors * kLanes;
  };
  std::int64_t c = 0;
  if constexpr (kMostVectors > 1) {
    while (plan.channels - c >= 8 * kLanes) c = gather_group.template operator()<8>(c);
    if (plan.channels - c >= 4 * kLanes) c = gather_group.template operator()<4>(c);
    if (plan.channels - c >= 2 * kLanes) c = gather_group.template operator()<2>(c);
  }
  if (plan.channels - c >= kLanes) c = gather_group.template operator()<1>(c);
  if (c < plan.channels) gather_group.template operator()<1>(plan.channels - kLanes);
}

/// The widest vectors that the channels fill. Less than the widest of all are used only when the
/// channels do not fill one of twice the size, so groups of them are never needed.
template <class T, std::int64_t kLanes = kWidest>
HWY_INLINE void gather_widest(const RowPlan& plan, const PointArrays& points,
                              const unsigned char* plane, float* output) {
  if constexpr (kLanes > 1) {
    if (plan.channels < kLanes) return gather_widest<T, kLanes / 2>(plan, points, plane, output);
  }
  gather_channels<T, kLanes, kLanes == kWidest ? 8 : 1>(plan, points, plane, output);
}

/// Fills `scratch.points` for output row `index` (batch, query and head flattened).
inline void prepare_points(const RowPlan& plan, const RowTensors& tensors, std::int64_t index,
                           const RowScratch& scratch) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  const bool whole_vectors = plan.points % lanes == 0;
  const std::int64_t first = index * plan.points;
  const float* locations = floats_of(plan.types.location, tensors.locations, 2 * first,
                                     2 * plan.points, whole_vectors, scratch.locations);
  const float* weights = floats_of(plan.types.weight, tensors.weights, first, plan.points,
                                   whole_vectors, scratch.weights);
  compute_points(plan, locations, weights, scratch.points);
  compute_offsets(plan, scratch.points);
}

/// Writes output row `index` from sums in `from`.
inline void store_row(const RowPlan& plan, const float* from, unsigned char* output,
                      std::int64_t index) {
  const std::int64_t first = index * plan.channels;
  with_type(plan.types.output, [&]<DType kType>() {
    narrow(from, plan.channels, reinterpret_cast<VectorElement<kType>*>(output) + first);
  });
}

/// Asks for the cache lines of `bytes` bytes from `first` on.
HWY_INLINE void prefetch_lines(const unsigned char* tensor, std::int64_t first,
                               std::int64_t bytes) {
  for (std::int64_t line = 0; line < bytes; line += 64) __builtin_prefetch(tensor + first + line);
}

/// Asks for what output row `index` reads and writes besides `value`. In the order of this file,
/// one head at a time, these rows are so far apart that no hardware prefetcher finds them.
HWY_INLINE void prefetch_row(const RowPlan& plan, const RowTensors& tensors, std::int64_t index) {
  prefetch_lines(tensors.locations, index * plan.location_bytes, plan.location_bytes);
  prefetch_lines(tensors.weights, index * plan.weight_bytes, plan.weight_bytes);
  prefetch_lines(tensors.output, index * plan.output_bytes, plan.output_bytes);
}

template <class T>
void compute_rows(const RowPlan& plan, const RowTensors& tensors, const RowRange& range,
                  const RowScratch& scratch) {
  const unsigned char* plane =
      tensors.value + range.batch * plan.image_bytes + range.head * plan.head_bytes;
  constexpr std::int64_t kAhead = 8;  // queries: longer than the latency of memory
  for (std::int64_t query = range.begin; query < range.end; ++query) {
    const std::int64_t index = (range.batch * plan.queries + query) * plan.heads + range.head;
    if (query + kAhead < range.end) prefetch_row(plan, tensors, index + kAhead * plan.heads);
    prepare_points(plan, tensors, index, scratch);
    gather_widest<T>(plan, scratch.points, plane, scratch.output);
    store_row(plan, scratch.output, tensors.output, index);
  }
}

}  // namespace msda::cpu_rows::HWY_NAMESPACE
