// The values are copied from [S, H, C] to [H, C / block, S, block]: neighbouring pixels of one head
// are contiguous, so that left and right corners are one run of memory also with several heads.
#pragma once

#include <msda/slots/layout.cuh>

namespace msda::channel_blocked {

template <class K, class Parameters>
struct Layout : StoredLayout<K, Parameters> {
  using Problem = typename K::Problem;
  static constexpr bool kRestaged = true;
  static constexpr int kPixelStride = static_cast<int>(Parameters::block);
  static constexpr int kRunChannels = kPixelStride;
  static constexpr const char* idle() {
    return kPixelStride == Problem::kHeads * Problem::kChannels
               ? "a pixel's channels are one block of one head: the layout is the plain one"
               : nullptr;
  }

  /// A lane's vector of channels must lie in one block: widths divide 8 and blocks are multiples
  /// of 8.
  __device__ static constexpr long long channel_offset(int head, int channel) {
    const long long plane =
        static_cast<long long>(head) * (Problem::kChannels / kPixelStride) + channel / kPixelStride;
    return plane * Problem::kSpatialSize * kPixelStride + channel % kPixelStride;
  }
};

}  // namespace msda::channel_blocked
