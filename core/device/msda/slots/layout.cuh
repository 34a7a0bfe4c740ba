// Slot "layout": how the values that the main kernel reads lie in memory.
#pragma once

#include <msda/contract.cuh>
#include <msda/level_sizes.cuh>

namespace msda {

template <class Policy>
concept FixedLayout = requires(int i) {
  requires kConstant<int, Policy::kPixels>;
  requires kConstant<long long, Policy::kImageStride>;
  requires kConstant<int, Policy::pitch(0)>;
  requires kConstant<int, Policy::pixels(0)>;
  requires kConstant<int, Policy::start(0)>;
  { Policy::pixel(i, i, i) } -> Same<int>;
};
template <class Policy>
concept RunTimeLayout = requires(const LevelAt& level) {
  { Policy::pitch(level) } -> Same<int>;
  { Policy::pixel(level, 0, 0) } -> Same<int>;
};

/// Static members, called by any thread:
///
/// - `kRestaged`: a pre-pass copies the values into this layout first;
/// - `kBordered`: levels have a border of one zero pixel, so that edges need no care;
/// - `kPixelStride`: elements between neighbouring pixels of a level's row;
/// - `kRunChannels`: channels of a head that are contiguous;
/// - channel_offset(head, channel) returns the first element of that channel in an image.
///
/// Of fixed level sizes (FixedLayout):
///
/// - `kPixels`, `kImageStride`: stored pixels, and elements, of an image;
/// - pitch(level), pixels(level), start(level) return the stored pixels in a row of the level, in
///   the level, and before the level in an image;
/// - pixel(level, x, y) returns the stored pixel at column x and row y, relative to the level's
///   start.
///
/// Of others, with a `LevelAt` (RunTimeLayout): pitch(level), and pixel(level, x, y) relative to
/// the start of the image.
template <class Policy, class K>
concept LayoutPolicy = requires(int i) {
  requires kConstant<bool, Policy::kRestaged>;
  requires kConstant<bool, Policy::kBordered>;
  requires kConstant<int, Policy::kPixelStride>;
  requires kConstant<int, Policy::kRunChannels>;
  { Policy::channel_offset(i, i) } -> Same<long long>;
  requires(K::Sizes::kFixed ? FixedLayout<Policy> : RunTimeLayout<Policy>);
};

/// What does not depend on level sizes of a problem's values: [B, S, H, C].
template <class Problem, bool bordered>
struct ProblemPixels {
  static constexpr bool kRestaged = false;
  static constexpr bool kBordered = bordered;
  static constexpr int kPixelStride = Problem::kHeads * Problem::kChannels;
  static constexpr int kRunChannels = Problem::kChannels;

  __device__ static constexpr long long channel_offset(int head, int channel) {
    return static_cast<long long>(head) * Problem::kChannels + channel;
  }
};

/// As a problem stores its values, with or without a zero border.
template <class Problem, bool bordered = Problem::kBordered>
struct ProblemLayout : ProblemPixels<Problem, bordered> {
  static constexpr int kBorder = bordered ? 1 : 0;

  __device__ static int pitch(const LevelAt& level) { return level.width() + 2 * kBorder; }
  __device__ static int pixel(const LevelAt& level, int x, int y) {
    return level.start + (y + kBorder) * pitch(level) + x + kBorder;
  }
};
/// The same with constant level sizes.
template <class Problem, bool bordered>
requires(kHasFixedLevels<Problem>) struct ProblemLayout<Problem, bordered>
    : ProblemPixels<Problem, bordered> {
  using ProblemPixels<Problem, bordered>::kBordered;
  using ProblemPixels<Problem, bordered>::kPixelStride;
  static constexpr int kPixels = static_cast<int>(Problem::kSpatialSize);
  static constexpr long long kImageStride = Problem::kSpatialSize * kPixelStride;

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

/// The stored pixel of `level`, as K::Sizes::at() returns it, at column x and row y: relative to
/// the level's start if level sizes are fixed, otherwise to the image's.
template <class Layout, class Problem>
__device__ __forceinline__ int pixel_in(const FixedLevel<Problem>& level, int x, int y) {
  return Layout::pixel(level.number, x, y);
}
template <class Layout>
__device__ __forceinline__ int pixel_in(const LevelAt& level, int x, int y) {
  return Layout::pixel(level, x, y);
}
template <class Layout, class Problem>
__device__ __forceinline__ int pitch_of(const FixedLevel<Problem>& level) {
  return Layout::pitch(level.number);
}
template <class Layout>
__device__ __forceinline__ int pitch_of(const LevelAt& level) {
  return Layout::pitch(level);
}
/// The stored pixels of an image before `level`, and those of it.
template <class Layout, class Problem>
__device__ __forceinline__ int start_of(const FixedLevel<Problem>& level) {
  return Layout::start(level.number);
}
template <class Layout>
__device__ __forceinline__ int start_of(const LevelAt& level) {
  return level.start;
}
template <class Layout, class Level>
__device__ __forceinline__ int pixels_of(const Level& level) {
  const int pitch = pitch_of<Layout>(level);
  return pitch * (level.height() + pitch - level.width());
}
/// The stored pixel of an image at column x and row y of `level`.
template <class Layout, class Problem>
__device__ __forceinline__ long long pixel_of_image(const FixedLevel<Problem>& level, int x,
                                                    int y) {
  return Layout::start(level.number) + Layout::pixel(level.number, x, y);
}
template <class Layout>
__device__ __forceinline__ long long pixel_of_image(const LevelAt& level, int x, int y) {
  return Layout::pixel(level, x, y);
}
/// Elements of a stored image.
template <class Layout, class Problem>
__device__ __forceinline__ long long image_stride(const FixedSizes<Problem>&) {
  return Layout::kImageStride;
}
template <class Layout, class Sizes>
__device__ __forceinline__ long long image_stride(const Sizes& sizes) {
  return static_cast<long long>(sizes.pixels()) * Layout::kPixelStride;
}

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
