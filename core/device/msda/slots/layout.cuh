// Slot "layout": how `value` lies in memory when the main kernel reads it.
#pragma once

#include <msda/launch.cuh>

namespace msda {

/// Default: as the problem stores it, [B, S, H, C] with or without a zero border.
template <class Problem, class Parameters>
struct PlainLayout {
  static constexpr Slot kSlot = kLayout;
  /// True when a pixel outside the level by one is stored (as zero), so corners need no test.
  static constexpr bool kBordered = Problem::kBordered;
  /// Elements between neighbouring pixels of a level's row.
  static constexpr int kPixelStride = Problem::kHeads * Problem::kChannels;
  /// Elements between images.
  static constexpr long long kImageStride = Problem::kSpatialSize * kPixelStride;

  /// First element of channel `channel` of head `head` inside an image.
  __device__ static constexpr long long channel_offset(int head, int channel) {
    return static_cast<long long>(head) * Problem::kChannels + channel;
  }
  /// Stored pixel of level `level` at column x and row y, counted from the start of the image.
  template <int level>
  __device__ static constexpr int pixel(int x, int y) {
    if constexpr (kBordered) {
      return Problem::start(level) + (y + 1) * (Problem::width(level) + 2) + (x + 1);
    } else {
      return Problem::start(level) + y * Problem::width(level) + x;
    }
  }
  /// The stored value tensor.
  __device__ static const void* base(const Arguments& arguments) { return arguments.value; }
};

}  // namespace msda
