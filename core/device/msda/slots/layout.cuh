// Slot "layout": how `value` lies in memory when the main kernel reads it.
#pragma once

#include <msda/contract.cuh>

namespace msda {

/// - `kRestaged`: a pre-pass copies the values into this layout first;
/// - `kBordered`: a pixel outside the level by one is stored (as zero), so that edges need no care;
/// - `kPixelStride`: elements between neighbouring pixels of a level's row;
/// - `kRunChannels`: channels of a head that lie together;
/// - `kPixels`, `kImageStride`: stored pixels, and elements, of an image;
/// - channel_offset(head, channel): the first element of that channel inside an image;
/// - pitch(level), pixels(level), start(level): stored pixels in a row of the level, in the level,
///   and before it in an image;
/// - pixel(level, x, y): the stored pixel at column x and row y, counted from the level's start.
template <class Policy, class K>
concept LayoutPolicy = requires(int i) {
  requires kConstant<bool, Policy::kRestaged>;
  requires kConstant<bool, Policy::kBordered>;
  requires kConstant<int, Policy::kPixelStride>;
  requires kConstant<int, Policy::kRunChannels>;
  requires kConstant<int, Policy::kPixels>;
  requires kConstant<long long, Policy::kImageStride>;
  requires kConstant<int, Policy::pitch(0)>;
  requires kConstant<int, Policy::pixels(0)>;
  requires kConstant<int, Policy::start(0)>;
  { Policy::channel_offset(i, i) } -> Same<long long>;
  { Policy::pixel(i, i, i) } -> Same<int>;
};

/// As a problem stores its values: [B, S, H, C] with or without a zero border.
template <class Problem>
struct ProblemLayout {
  static constexpr bool kRestaged = false;
  static constexpr bool kBordered = Problem::kBordered;
  static constexpr int kPixelStride = Problem::kHeads * Problem::kChannels;
  static constexpr int kRunChannels = Problem::kChannels;
  static constexpr int kPixels = static_cast<int>(Problem::kSpatialSize);
  static constexpr long long kImageStride = Problem::kSpatialSize * kPixelStride;

  __device__ static constexpr long long channel_offset(int head, int channel) {
    return static_cast<long long>(head) * Problem::kChannels + channel;
  }
  __device__ static constexpr int pitch(int level) {
    return Problem::width(level) + (kBordered ? 2 : 0);
  }
  __device__ static constexpr int pixels(int level) {
    return pitch(level) * (Problem::height(level) + (kBordered ? 2 : 0));
  }
  __device__ static constexpr int start(int level) { return Problem::start(level); }
  __device__ static constexpr int pixel(int level, int x, int y) {
    return kBordered ? (y + 1) * pitch(level) + x + 1 : y * pitch(level) + x;
  }
};

/// True when a level of elements of `size` bytes is a tensor of pixels, each of all heads and
/// channels, from which TMA copies boxes.
template <class K, int size>
inline constexpr bool kLevelsAreTensors = [] {
  constexpr int kPixel = K::Layout::kPixelStride;
  return (size == 1 || size == 2 || size == 4) && kPixel * size % kBoxUnit == 0 &&
         kPixel == K::Problem::kHeads * K::Problem::kChannels;
}();

/// Default: as the problem stores them.
template <class K, class Parameters>
struct StoredLayout : ProblemLayout<typename K::Problem> {};

}  // namespace msda
