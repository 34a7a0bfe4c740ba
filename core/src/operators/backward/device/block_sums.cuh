// Sums of one head that a block keeps in shared memory, C numbers of 32 bits for each pixel: which
// channels a lane adds, and the share of each corner.
#pragma once

#include <backward/cells.cuh>
#include <msda/ptx/reduce.cuh>

namespace msda::backward {

/// Bytes of shared memory for sums: `kilobytes`, or with 0 what a block has left beside its cells
/// and values.
template <class K>
constexpr int bytes_for_sums(long long kilobytes) {
  constexpr int kMost = 227 * 1024;
  constexpr int kOthers = static_cast<int>(sizeof(typename Cells<K>::Storage)) +
                          static_cast<int>(sizeof(typename K::Values::Storage)) + 1024;
  return kilobytes != 0 ? static_cast<int>(kilobytes) * 1024 : kMost - kOthers;
}

/// Channels of a lane: those of neighbouring lanes lie in neighbouring banks, and the rows of a
/// warp begin in different ones. An object for each thread.
template <class K>
class BlockChannels {
  static constexpr int kChannels = K::Problem::kChannels;
  static constexpr int kLanes = K::Lanes::kLanes;

 public:
  static constexpr int kAlignment = 128;  ///< of the sums; as much as shared memory has
  static constexpr int kPixelBytes = kChannels * 4;
  static constexpr int kOwn = (kChannels + kLanes - 1) / kLanes;

  __device__ BlockChannels() {
#pragma unroll
    for (int n = 0; n < kAddresses; ++n) own_[n] = (has(n) ? channel(n) : 0) * 4;
  }

  __device__ static int channel(int n) {
    const int part =
        kOneAddress ? n ^ (Place<K>::warp_row() % kOwn) : (n + Place<K>::warp_row()) % kOwn;
    return Place<K>::lane() + kLanes * part;
  }
  __device__ static bool has(int n) { return kOwn * kLanes == kChannels || channel(n) < kChannels; }
  /// Bytes to the lane's n-th channel in the pixel `place` bytes behind the first one.
  __device__ int offset(int n, int place) const {
    constexpr int kPartBytes = kLanes * 4;
    return kOneAddress ? (own_[0] + place) ^ (n * kPartBytes) : own_[n] + place;
  }

 private:
  /// Whether one address serves all of a lane's channels, whose addresses differ in some bits.
  static constexpr bool kOneAddress = kOwn * kLanes == kChannels && kAlignment % kPixelBytes == 0;
  static constexpr int kAddresses = kOneAddress ? 1 : kOwn;

  int own_[kAddresses];
};

/// What a point's corners, column + 2 * row, have of its gradient.
struct CornerWeights {
  float of[4];
};
template <class Level>
__device__ __forceinline__ CornerWeights corner_weights(const Level& level, const Cell& cell) {
  const float left = cell.weight * level.x_share(cell.x, false);
  const float right = cell.weight * level.x_share(cell.x, true);
  const float upper = level.y_share(cell.y, false);
  const float lower = level.y_share(cell.y, true);
  return {{left * upper, right * upper, left * lower, right * lower}};
}

}  // namespace msda::backward
