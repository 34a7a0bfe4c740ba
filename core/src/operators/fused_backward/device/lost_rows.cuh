// Rows whose weights are no numbers: all logits are minus infinity, or one is infinite or NaN. As
// PyTorch has it, the gradients of their logits are NaN, and so are those of what their points
// read.
#pragma once

#include <backward/accumulator.cuh>
#include <fused_backward/made_points.cuh>

namespace msda::fused_backward {

template <class K, class Made>
class LostPoint {
  using Problem = typename K::Problem;
  using Layout = typename K::Layout;

 public:
  /// Point `point` of a row.
  __device__ LostPoint(const msda::Arguments& arguments, long long row, int point)
      : level_(kPointsDiffer<Problem> ? level_of<Problem>(point) : point / Problem::kPoints) {
    const auto stored = Made::template load<1>(arguments, RowNumber{row, 0}, point);
    const auto level = typename K::Sizes(arguments).at(level_);
    const Position at = Made::place(stored, 0, level, level_);
    if constexpr (backward::kIsPadded<K>) {
      typename Made::Mask mask(arguments);
      mask.enter(row);
      cell_ = backward::make_cell<K>({at.x, at.y, 1.0F}, level, mask);
    } else {
      cell_ = backward::make_cell<K>({at.x, at.y, 1.0F}, level);
    }
  }

  __device__ bool counts() const { return cell_.x != backward::kAway; }

  /// Adds NaN to all sums that the point adds to.
  __device__ void add_to_sums(const backward::Arguments& arguments, long long row) const {
    using Accumulator = typename K::Accumulator;
    for_channels(arguments, row, [&](long long element) {
      Accumulator::add(Accumulator::sums(arguments) + element, Floats<1>{no_number()});
    });
  }
  /// Leaves NaN in their place.
  __device__ void store(const backward::Arguments& arguments, long long row) const {
    using Value = typename Problem::Value;
    for_channels(arguments, row, [&](long long element) {
      static_cast<Value*>(arguments.grad_value)[element] = from_float<Value>(no_number());
    });
  }

 private:
  /// Whether the point reads the first or the second of an axis's pixels, of `size`.
  __device__ static bool reads(float distance, bool second, int size) {
    return second ? size > 1 && distance >= 0.0F : distance < 1.0F;
  }

  template <class Each>
  __device__ void for_channels(const backward::Arguments& arguments, long long row,
                               const Each& each) const {
    if (!counts()) return;
    const typename K::Sizes sizes(arguments);
    const auto level = sizes.at(level_);
    const int head = static_cast<int>(row % Problem::kHeads);
    const long long of_image =
        row / Problem::kHeads / arguments.queries * image_stride<Layout>(sizes);
#pragma unroll 1
    for (int corner = 0; corner < 4; ++corner) {
      const bool right = corner % 2 != 0;
      const bool below = corner / 2 != 0;
      if (!reads(cell_.x, right, level.width()) || !reads(cell_.y, below, level.height())) continue;
      if constexpr (backward::kIsPadded<K>) {
        if (backward::is_masked<K>(cell_, corner)) continue;
      }
      const long long pixel =
          backward::pixel_of<K>(cell_) + (right ? 1 : 0) + (below ? pitch_of<Layout>(level) : 0);
      const long long first =
          of_image + pixel * Layout::kPixelStride + Layout::channel_offset(head, 0);
#pragma unroll 1
      for (int c = 0; c < Problem::kChannels; ++c) each(first + c);
    }
  }

  int level_;
  backward::Cell cell_;
};

}  // namespace msda::fused_backward
