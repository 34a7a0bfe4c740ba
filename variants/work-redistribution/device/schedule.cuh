// All tiles are dealt out beforehand: block k of n gets the k-th n-th of them, so that no block has
// more than one tile more than another. Neighbouring tiles of a plane are one item: what a block
// sets up for an image is set up once. With `waves` the images are dealt out in that many parts,
// one after the other, so that the blocks work on fewer images at a time. With `turn` a plane
// weighs that many tiles more than it has: what the block that turns to it in the middle of its
// share does not get.
#pragma once

#include <msda/slots/schedule.cuh>

namespace msda::work_redistribution {

template <class K, class Parameters>
class Schedule {
 public:
  static constexpr unsigned kResidentBlocks = Parameters::blocks;
  static constexpr unsigned kChunks = 0;
  static constexpr unsigned kRowsPerItem = kTileRows<K>;
  struct Storage {};

  __device__ Schedule(const Arguments& arguments, Storage&) : arguments_(arguments) {}

  __device__ bool next(WorkItem& item) {
    while (next_ == last_) {
      if (wave_ == kWaves) return false;
      turn_to(wave_++);
    }
    const long long per_plane = items_per_plane(kShape<K>, arguments_.queries);
    const long long plane_end = (next_ / per_plane + 1) * per_plane;
    const long long end = min(plane_end, last_);
    item = work_item<K>(arguments_, kShape<K>, next_);
    item.last = work_item<K>(arguments_, kShape<K>, end - 1).last;
    next_ = end;
    return true;
  }

 private:
  static constexpr long long kWaves = Parameters::waves;
  static constexpr long long kTurn = Parameters::turn;

  /// This block's share of the wave's tiles.
  __device__ void turn_to(long long wave) {
    const long long per_plane = items_per_plane(kShape<K>, arguments_.queries) + kTurn;
    const long long first = arguments_.batch * wave / kWaves * kShape<K>.planes * per_plane;
    const long long last = arguments_.batch * (wave + 1) / kWaves * kShape<K>.planes * per_plane;
    next_ = tiles_within(first + (last - first) * worker<K>() / workers<K>());
    last_ = tiles_within(first + (last - first) * (worker<K>() + 1) / workers<K>());
  }
  /// Tiles that weigh `weight` in all, the turns to their planes included.
  __device__ long long tiles_within(long long weight) const {
    if constexpr (kTurn == 0) return weight;
    const long long tiles = items_per_plane(kShape<K>, arguments_.queries);
    const long long plane = weight / (tiles + kTurn);
    return plane * tiles + max(weight - plane * (tiles + kTurn) - kTurn, 0LL);
  }

  const Arguments& arguments_;
  long long wave_ = 0;
  long long next_ = 0;
  long long last_ = 0;
};

}  // namespace msda::work_redistribution
