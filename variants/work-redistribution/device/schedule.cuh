// All tiles are dealt beforehand: block k of n gets the k-th n-th of the tiles, so that the numbers
// of tiles differ by at most one. Neighbouring tiles of a plane are one item, so that a block sets
// up an image once. With `waves` tiles are dealt in that many parts, one after the other, so that
// blocks work on fewer planes at a time. With `turn` beginning a plane costs as much as that many
// tiles, which a block that begins a plane within its share gets fewer. With `ends: warp` shares
// are of the rows that a warp has of a tile, not of whole tiles. With `learned` shares are
// proportional to the speed of their multiprocessors.
#pragma once

#include <work_redistribution/shares.cuh>

namespace msda::work_redistribution {

template <class K, class Parameters>
class Schedule {
  static constexpr int kWarps = K::Mapping::kThreads / simt::kWarpLanes;
  static constexpr int kLearned =
      Parameters::blocks == 1 && K::Source::kCluster == 1 && kProducerThreads<K> == 0
          ? Parameters::learned
          : 0;
  static constexpr bool kAsksForWarps =
      Parameters::ends == 1 && K::Source::kCluster == 1 && kProducerThreads<K> == 0;

 public:
  static constexpr unsigned kResidentBlocks = Parameters::blocks;
  static constexpr unsigned kChunks = 0;
  /// Learned shares end after any warp's rows.
  static constexpr bool kEndsAtWarps = (kLearned != 0 || kAsksForWarps) && kTileRows<K> >= kWarps;
  static constexpr unsigned kRowsPerItem = kEndsAtWarps ? kTileRows<K> / kWarps : kTileRows<K>;
  using Shares = work_redistribution::Shares<K, kLearned>;
  using Storage = typename Shares::Storage;
  static constexpr Extent kWorkspace = Shares::kWorkspace;
  static constexpr Zeroed kZeroed = Shares::kZeroed;

  static constexpr const char* idle() {
    if (Parameters::learned > 0 && kLearned == 0) {
      return "learned: a share is one multiprocessor's, without more blocks there, clusters and "
             "producers";
    }
    return Parameters::ends == 1 && !kEndsAtWarps
               ? "ends: a tile has rows of each warp, without clusters and producers"
               : nullptr;
  }

  __device__ Schedule(const Arguments& arguments, Storage& storage)
      : arguments_(arguments), shares_(arguments, storage) {}

  __device__ bool next(WorkItem& item) {
    if (wave_ == 0) shares_.begin(weight());
    while (next_ == last_) {
      if (wave_ == kWaves) {
        shares_.end(weight());
        return false;
      }
      begin_wave(wave_++);
    }
    const long long per_plane = items_per_plane(kShape<K>, arguments_.queries);
    const long long plane = next_ / per_plane;
    const long long in_plane = next_ - plane * per_plane;
    const long long count = min(per_plane - in_plane, last_ - next_);
    item = work_items<K>(arguments_, kShape<K>, plane, in_plane, count);
    next_ += count;
    return true;
  }

 private:
  static constexpr long long kWaves = Parameters::waves;
  static constexpr long long kPlaneCost = Parameters::turn * (kTileRows<K> / kRowsPerItem);

  /// This block's share of the wave's tiles. Of any number of tiles a wave has as many as if tiles
  /// were dealt to the waves in turn, so that its parts of all shares add up to the wave.
  __device__ void begin_wave(long long wave) {
    const auto of_wave = [wave](long long tiles) { return (tiles + kWaves - 1 - wave) / kWaves; };
    const long long before = weight() / kWaves * wave + min(weight() % kWaves, wave);
    next_ = tiles_within(before + of_wave(shares_.first(weight())));
    last_ = tiles_within(before + of_wave(shares_.last(weight())));
  }
  /// Cost of all planes in tiles, beginnings of planes included.
  __device__ long long weight() const {
    const long long per_plane = items_per_plane(kShape<K>, arguments_.queries) + kPlaneCost;
    return arguments_.batch * kShape<K>.planes * per_plane;
  }
  /// Tiles with a total cost of `weight`, beginnings of planes included.
  __device__ long long tiles_within(long long weight) const {
    if constexpr (kPlaneCost == 0) return weight;
    const long long tiles = items_per_plane(kShape<K>, arguments_.queries);
    const long long plane = weight / (tiles + kPlaneCost);
    return plane * tiles + max(weight - plane * (tiles + kPlaneCost) - kPlaneCost, 0LL);
  }

  const Arguments& arguments_;
  Shares shares_;
  long long wave_ = 0;
  long long next_ = 0;
  long long last_ = 0;
};

}  // namespace msda::work_redistribution
