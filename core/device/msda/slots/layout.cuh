// Slot "layout": how the values that the main kernel reads lie in memory.
#pragma once

#include <msda/contract.cuh>

namespace msda {

/// Static members, called by any thread:
///
/// - `kRestaged`: a pre-pass copies the values into this layout first;
/// - `kBordered`: levels have a border of one zero pixel, so that edges need no care;
/// - `kPixelStride`: elements between neighbouring pixels of a level's row;
/// - `kRunChannels`: channels of a head that are contiguous;
/// - `kPixels`, `kImageStride`: stored pixels, and elements, of an image;
/// - channel_offset(head, channel) returns the first element of that channel in an image;
/// - pitch(level), pixels(level), start(level) return the stored pixels in a row of the level, in
///   the level, and before the level in an image;
/// - pixel(level, x, y) returns the stored pixel at column x and row y, relative to the level's
///   start.
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
template <class Problem, bool bordered = Problem::kBordered>
struct ProblemLayout {
  static constexpr bool kRestaged = false;
  static constexpr bool kBordered = bordered;
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

/// True if TMA can copy boxes of a level with elements of `size` bytes, a pixel having all heads.
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
