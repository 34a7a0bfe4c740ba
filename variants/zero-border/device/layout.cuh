// The values are copied into levels with a border of one zero pixel, so that every corner of a
// point that counts exists and the taps need no care for edges. A problem stored with a border
// already is read as it is.
#pragma once

#include <msda/slots/layout.cuh>

namespace msda::zero_border {

template <class K, class Parameters>
struct Layout {
  using Problem = typename K::Problem;
  static constexpr bool kBordered = true;
  static constexpr bool kRestaged = !Problem::kBordered;
  static constexpr const char* idle() {
    return kRestaged ? nullptr : "the values are stored with a border already";
  }
  static constexpr int kPixelStride = Problem::kHeads * Problem::kChannels;
  static constexpr int kRunChannels = Problem::kChannels;

  static constexpr int pitch(int level) { return Problem::width(level) + 2; }
  static constexpr int pixels(int level) { return pitch(level) * (Problem::height(level) + 2); }
  static constexpr int start(int level) {
    int sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) sum += l < level ? pixels(l) : 0;
    return sum;
  }
  static constexpr int kPixels = [] {
    int sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) sum += pixels(l);
    return sum;
  }();
  static constexpr long long kImageStride = static_cast<long long>(kPixels) * kPixelStride;

  __device__ static constexpr long long channel_offset(int head, int channel) {
    return static_cast<long long>(head) * Problem::kChannels + channel;
  }
  __device__ static constexpr int pixel(int level, int x, int y) {
    return (y + 1) * pitch(level) + x + 1;
  }
};

}  // namespace msda::zero_border
