// The sizes of the blocks' shares. Equal shares end at different times: 36 of an H200's 132
// multiprocessors get 6% less from L2. Learned shares follow the time that each multiprocessor
// needed for a tile in earlier launches.
#pragma once

#include <msda/ptx/multiprocessor.cuh>
#include <msda/slots/schedule.cuh>

namespace msda::work_redistribution {

/// first(n) and last(n) are the range of tiles of this block out of n; n must be the same in every
/// call. Beginning another plane counts like tiles. `learned`: number of launches after whose times
/// shares are set again; 0: equal shares.
template <class K, int learned>
class Shares;

template <class K>
class Shares<K, 0> {
 public:
  struct Storage {};
  static constexpr Extent kWorkspace = {};
  static constexpr Zeroed kZeroed = kNeverZeroed;

  __device__ Shares(const Arguments&, Storage&) {}
  __device__ void begin(long long) {}
  __device__ void end(long long) {}
  __device__ long long first(long long tiles) const { return tiles * worker<K>() / workers<K>(); }
  __device__ long long last(long long tiles) const {
    return tiles * (worker<K>() + 1) / workers<K>();
  }
};

/// Each multiprocessor that a block of the first launch ran on has a entry with that block's share,
/// and the block that runs there later claims it. Where there is none, or another has claimed it,
/// the block takes any other entry: each is claimed once in each launch, whoever runs where, so
/// that all work is done once.
template <class K, int learned>
class Shares {
  static constexpr unsigned kWarps = K::Mapping::kThreads / simt::kWarpLanes;
  static constexpr unsigned kMost = 512;              ///< shares, and multiprocessors
  static constexpr long long kMostTiles = 1LL << 31;  ///< their products have 64 bits

  struct alignas(32) Entry {
    long long first;  ///< tile of all, of the share
    long long last;
    unsigned share;   ///< 1 + its number; 0: unused entry
    unsigned claims;  ///< launches in which a block has claimed it
  };
  /// In global memory, kept from launch to launch; initially zero.
  struct Book {
    unsigned long long ended;  ///< blocks, of all launches
    Entry entry[2 * kMost];    ///< by multiprocessor; then those of blocks that had to share one
    unsigned at[kMost];        ///< by share, its entry
    float needed[kMost];       ///< cycles for the share, of all launches since it was dealt
    float usual[kMost];        ///< cycles for a tile of it
  };

 public:
  struct Storage {
    long long first;
    long long last;
    unsigned long long begun;  ///< in cycles of the multiprocessor
    unsigned launch;           ///< launches before this one
    unsigned share;
    unsigned ended;  ///< warps
  };
  static constexpr Extent kWorkspace = {sizeof(Book), 0, 0};
  static constexpr Zeroed kZeroed = kZeroedOnce;

  __device__ Shares(const Arguments& arguments, Storage& storage)
      : book_(*static_cast<Book*>(arguments.workspace[kSchedule])), storage_(storage) {}

  /// Called first, by all threads of the block with the same `tiles`.
  __device__ void begin(long long tiles) {
    if (simt::thread() == 0) {
      storage_.ended = 0;
      if (learns(tiles)) {
        claim(tiles);
      } else {
        take_equal(simt::block(), tiles);
      }
      storage_.begun = ptx::clock64();
    }
    simt::syncthreads();
  }
  __device__ long long first(long long) const { return storage_.first; }
  __device__ long long last(long long) const { return storage_.last; }

  /// Called by each warp after its part of the share, all lanes converged.
  __device__ void end(long long tiles) {
    if (!learns(tiles)) return;
    unsigned is_last = 0;
    if (simt::lane() == 0 && simt::atomic_add(&storage_.ended, 1U) + 1 == kWarps) {
      if (storage_.launch < learned) {
        is_last = tell() ? 1 : 0;
      } else {
        simt::atomic_add(&book_.ended, 1ULL);
      }
    }
    is_last = simt::shfl_sync(is_last, 0);
    simt::syncwarp();  // all lanes see what lane 0 has seen
    if (is_last != 0) learn(tiles);
  }

 private:
  __device__ static bool learns(long long tiles) {
    return simt::blocks() <= kMost && tiles < kMostTiles;
  }
  __device__ void take(unsigned share, long long first, long long last) {
    storage_.share = share;
    storage_.first = first;
    storage_.last = last;
  }
  __device__ void take_equal(unsigned share, long long tiles) {
    take(share, tiles * share / simt::blocks(), tiles * (share + 1) / simt::blocks());
  }

  /// Fewer than all blocks of this launch have ended, because this block has not.
  __device__ void claim(long long tiles) {
    const unsigned here = ptx::smid() % kMost;
    Entry& home = book_.entry[here];
    const unsigned share = home.share;  // this and what follows is on its way together
    const long long first = home.first;
    const long long last = home.last;
    const unsigned claims = simt::atomic_add(&home.claims, 1U);
    const unsigned long long ended = simt::atomic_add(&book_.ended, 0ULL);
    storage_.launch = static_cast<unsigned>(ended / simt::blocks());
    const bool is_free = claims == storage_.launch;
    if (is_free && share != 0) return take(share - 1, first, last);
    if (is_free && storage_.launch == 0) return settle(here, tiles);
    simt::atomic_add(&home.claims, ~0U);
    if (storage_.launch == 0) {
      simt::atomic_add(&book_.entry[kMost + simt::block()].claims, 1U);
      return settle(kMost + simt::block(), tiles);
    }
    const Entry& other = any_other();
    take(other.share - 1, other.first, other.last);
  }
  /// In the first launch: the entry belongs to the block's share from now on.
  __device__ void settle(unsigned entry, long long tiles) {
    take_equal(simt::block(), tiles);
    book_.at[simt::block()] = entry;
  }
  __device__ const Entry& any_other() {
    unsigned share = simt::block();
    for (;; share = (share + 1) % simt::blocks()) {
      Entry& entry = book_.entry[book_.at[share]];
      const unsigned launch = storage_.launch;
      if (simt::atomic_cas(&entry.claims, launch, launch + 1) == launch) return entry;
    }
  }

  /// How long the block took. True for the last one of a launch after which shares are dealt anew:
  /// after 1, 2, 4, 8 and so on, soon nearly right and in the end from many launches.
  __device__ bool tell() {
    const unsigned launches = storage_.launch + 1;
    book_.needed[storage_.share] += static_cast<float>(ptx::clock64() - storage_.begun);
    simt::threadfence();
    const unsigned long long ended = simt::atomic_add(&book_.ended, 1ULL) + 1;
    simt::threadfence();
    const bool is_last = ended == static_cast<unsigned long long>(launches) * simt::blocks();
    return is_last && (launches & (launches - 1)) == 0;
  }

  /// Called by one warp after all blocks have ended.
  __device__ void learn(long long tiles) {
    const unsigned blocks = simt::blocks();
    const unsigned run = (blocks + simt::kWarpLanes - 1) / simt::kWarpLanes;
    const unsigned begin = min(simt::lane() * run, blocks);
    const unsigned end = min(begin + run, blocks);
    estimate(begin, end, tiles);
    deal(begin, end, tiles);
  }
  __device__ void estimate(unsigned begin, unsigned end, long long tiles) {
    constexpr float kGain = 0.75F;  // what is right for the old shares is not quite for the new
    const bool is_first = storage_.launch == 0;
    const unsigned launches = is_first ? 1 : (storage_.launch + 1) / 2;
    for (unsigned s = begin; s < end; ++s) {
      const Entry& entry = book_.entry[book_.at[s]];
      const long long own = is_first ? tiles / simt::blocks() : entry.last - entry.first;
      const float all = static_cast<float>(launches) * static_cast<float>(max(own, 1LL));
      const float needed = max(book_.needed[s], 1.0F) / all;
      book_.usual[s] = is_first ? needed : book_.usual[s] + kGain * (needed - book_.usual[s]);
      book_.needed[s] = 0;
    }
  }
  /// Gives each share as many tiles as it can complete in the same time.
  __device__ void deal(unsigned begin, unsigned end, long long tiles) {
    const auto done = [&](float cycles) {
      long long count = 0;
      for (unsigned s = begin; s < end; ++s) {
        count += static_cast<long long>(cycles / book_.usual[s]);
      }
      return count;
    };
    const auto add = [](long long a, long long b) { return a + b; };
    float slowest = 0;
    for (unsigned s = begin; s < end; ++s) slowest = max(slowest, book_.usual[s]);
    float few = 0;
    float enough = simt::reduce_max_sync(slowest) * static_cast<float>(tiles / simt::blocks() + 1);
    for (int halvings = 0; halvings < 24; ++halvings) {
      const float middle = (few + enough) / 2;
      (simt::warp_reduce(done(middle), add) < tiles ? few : enough) = middle;
    }
    const long long own = done(enough);
    long long up_to = simt::warp_inclusive_sum(own) - own;
    for (unsigned s = begin; s < end; ++s) {
      Entry& entry = book_.entry[book_.at[s]];
      entry.share = s + 1;
      entry.first = min(up_to, tiles);
      up_to += static_cast<long long>(enough / book_.usual[s]);
      entry.last = s + 1 == simt::blocks() ? tiles : min(up_to, tiles);
    }
  }

  Book& book_;
  Storage& storage_;
};

}  // namespace msda::work_redistribution
