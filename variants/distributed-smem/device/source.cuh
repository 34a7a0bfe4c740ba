// The smallest levels that fit a budget are spread over the shared memory of a cluster of blocks:
// each holds some of an item's channels, and lanes read theirs wherever they are. All blocks of a
// cluster take the same items and share their rows out.
#pragma once

#include <msda/ptx/cluster.cuh>
#include <msda/slots/resident.cuh>

namespace msda::distributed_smem {

template <class ProblemType, class Parameters>
struct Source {
  using Problem = ProblemType;
  static constexpr Slot kSlot = kSource;
  static constexpr bool kByHead = true;
  static constexpr bool kBlends = false;
  using Place = unsigned;

  /// Blocks of a cluster: the largest power of two up to the parameter that leaves each lane's
  /// channels whole in one block, or whole blocks' channels in a lane.
  template <class K>
  static constexpr unsigned kCluster = [] {
    int blocks = static_cast<int>(Parameters::cluster);
    const auto fits = [](int channels) {
      return channels % K::Mapping::kVector == 0 || K::Mapping::kVector % channels == 0;
    };
    while (K::Mapping::kItemChannels % blocks != 0 || !fits(K::Mapping::kItemChannels / blocks))
      blocks /= 2;
    return static_cast<unsigned>(blocks);
  }();
  template <class K>
  static constexpr int kBlockChannels = K::Mapping::kItemChannels / static_cast<int>(kCluster<K>);
  template <class K>
  using Levels = ResidentLevels<K, static_cast<int>(Parameters::budget) * 1024, kBlockChannels<K>,
                                static_cast<int>(Parameters::padding)>;
  template <class K>
  using Copy = LevelCopy<K, Levels<K>, Parameters::copy>;

  template <class K>
  static constexpr unsigned kSharedBytes = Levels<K>::total() + Copy<K>::kBarrierBytes;
  template <class K>
  static constexpr bool on_chip(int level) {
    return Levels<K>::resident(level);
  }

  template <class K>
  __device__ static Place place(int level, int x, int y) {
    return static_cast<Place>(K::Layout::pixel(level, x, y));
  }
  template <class K>
  __device__ static constexpr int delta(int level, int column, int row) {
    return pixels_from_anchor<K>(level, column, row) * Levels<K>::stride(level);
  }

  template <class K>
  class Reader {
   public:
    using Value = typename K::Arithmetic::Stored;
    using Rows = Vector<Value, K::Mapping::kVector>;
    /// Blocks that a lane's channels lie in, and the channels of one read.
    static constexpr int kParts =
        K::Mapping::kVector > kBlockChannels<K> ? K::Mapping::kVector / kBlockChannels<K> : 1;
    static constexpr int kPartBytes =
        K::Mapping::kVector / kParts * static_cast<int>(sizeof(Value));

    /// A lane's channels of a pixel in each of the blocks that hold some, or in global memory.
    struct Parts {
      const unsigned char* at[kParts];
    };
    struct Base {
      const unsigned char* global;
      Parts shared;
      int side;
    };

    __device__ Reader(const Arguments& arguments, unsigned char* shared)
        : arguments_(arguments), shared_(shared), copy_(shared, shared + Levels<K>::total()) {}

    /// All blocks of the cluster come here together: they take the same items.
    __device__ void enter(const WorkItem& item) {
      const long long plane =
          (item.image * Problem::kHeads + item.head) * K::Mapping::kChannelBlocks +
          item.channel_block;
      if (plane == plane_) return;
      plane_ = plane;
      ptx::sync_cluster();  // nobody reads the plane before
      const int rank = static_cast<int>(simt::block() % kCluster<K>);
      copy_.load(arguments_, item,
                 item.channel_block * K::Mapping::kItemChannels + rank * kBlockChannels<K>);
      ptx::sync_cluster();
    }
    /// A block whose memory others still read must not end.
    __device__ void leave() { ptx::sync_cluster(); }

    __device__ Base base(const WorkItem& item, int head, int channel) const {
      const int in_item = channel - item.channel_block * K::Mapping::kItemChannels;
      Base base{image_values<K>(arguments_, item.image, head, channel), {}, K::Mapping::side()};
#pragma unroll
      for (int p = 0; p < kParts; ++p) {
        const int first = in_item + p * kBlockChannels<K>;
        base.shared.at[p] = ptx::map_shared_rank(shared_, first / kBlockChannels<K>) +
                            first % kBlockChannels<K> * static_cast<int>(sizeof(Value));
      }
      return base;
    }
    template <int level>
    __device__ auto anchor(const Base& base, Place place) const {
      const int column = base.side * Source::template delta<K>(level, 1, 0);
      if constexpr (Levels<K>::resident(level)) {
        Parts parts;
#pragma unroll
        for (int p = 0; p < kParts; ++p) {
          parts.at[p] = base.shared.at[p] + column + static_cast<int>(place) * Levels<K>::kStride;
        }
        return parts;
      } else {
        return ptx::opaque(ptx::opaque(base.global + column) +
                           place * static_cast<unsigned long long>(Levels<K>::kGlobalStride));
      }
    }
    template <int level>
    __device__ const unsigned char* address(const unsigned char* anchor, int delta) const {
      return anchor + Levels<K>::first(level) + delta;
    }
    template <int level>
    __device__ Rows read(const Parts& anchor, int delta) const {
      constexpr int kWord = common_word(Levels<K>::kStride, kPartBytes);
      Rows rows;
#pragma unroll
      for (int p = 0; p < kParts; ++p) {
        copy_words<kPartBytes, kWord>(
            reinterpret_cast<unsigned char*>(rows.element) + p * kPartBytes,
            anchor.at[p] + Levels<K>::first(level) + delta);
      }
      return rows;
    }
    template <int level>
    __device__ Rows read(const unsigned char* anchor, int delta) const {
      return Rows::read(address<level>(anchor, delta),
                        [](const auto* p) { return K::Cache::template load_value<level>(p); });
    }

   private:
    const Arguments& arguments_;
    unsigned char* shared_;
    Copy<K> copy_;
    long long plane_ = -1;
  };
};

}  // namespace msda::distributed_smem
