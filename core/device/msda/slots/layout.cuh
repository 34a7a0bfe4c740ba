// Slot "layout": how `value` lies in memory when the main kernel reads it.
#pragma once

#include <msda/launch.cuh>

namespace msda {

/// Default: as the problem stores it, [B, S, H, C] with or without a zero border.
template <class Problem, class Parameters>
struct PlainLayout {
  static constexpr Slot kSlot = kLayout;
  /// True when a pixel outside the level by one is stored (as zero), so that edges need no care.
  static constexpr bool kBordered = Problem::kBordered;
  /// True when the values must first be copied into this layout.
  static constexpr bool kRestaged = false;
  /// Elements between neighbouring pixels of a level's row.
  static constexpr int kPixelStride = Problem::kHeads * Problem::kChannels;
  /// Channels of a head that lie together.
  static constexpr int kRunChannels = Problem::kChannels;
  /// Stored pixels, and elements, of an image.
  static constexpr int kPixels = static_cast<int>(Problem::kSpatialSize);
  static constexpr long long kImageStride = Problem::kSpatialSize * kPixelStride;

  /// First element of channel `channel` of head `head` inside an image.
  __device__ static constexpr long long channel_offset(int head, int channel) {
    return static_cast<long long>(head) * Problem::kChannels + channel;
  }
  /// Stored pixels in a row of a level, and stored pixels before the level in an image.
  __device__ static constexpr int pitch(int level) {
    return Problem::width(level) + (kBordered ? 2 : 0);
  }
  __device__ static constexpr int start(int level) { return Problem::start(level); }
  /// Stored pixels of the level.
  __device__ static constexpr int pixels(int level) {
    return pitch(level) * (Problem::height(level) + (kBordered ? 2 : 0));
  }
  /// Stored pixel at column x and row y, counted from the start of the level.
  __device__ static constexpr int pixel(int level, int x, int y) {
    return kBordered ? (y + 1) * pitch(level) + x + 1 : y * pitch(level) + x;
  }
};

}  // namespace msda
