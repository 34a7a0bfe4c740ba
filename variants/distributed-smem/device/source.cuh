// The smallest levels that fit a budget are distributed over the shared memory of a cluster: each
// block holds some channels of an item's plane, and lanes read their channels from any block. All
// blocks of a cluster take the same items and divide the rows of these.
#pragma once

#include <msda/parts/resident.cuh>
#include <msda/ptx/cluster.cuh>

namespace msda::distributed_smem {

/// Blocks of a cluster: the largest power of two up to `wanted` with which a lane's channels are in
/// one block, or a lane has all channels of several blocks.
template <class K>
constexpr int cluster_blocks(int wanted, int channels) {
  constexpr int kVector = K::Mapping::kVector;
  const auto fits = [](int part) { return part % kVector == 0 || kVector % part == 0; };
  int blocks = wanted;
  while (channels % blocks != 0 || !fits(channels / blocks)) blocks /= 2;
  return blocks;
}

template <class K, class Parameters>
struct Cluster {
  static constexpr int kHeads = static_cast<int>(Parameters::heads);
  static constexpr int kChannels = kHeads * K::Mapping::kItemChannels;
  static constexpr int kBlocks =
      cluster_blocks<K>(static_cast<int>(Parameters::cluster), kChannels);
  /// The part of a pixel that each block keeps.
  static constexpr ResidentPixel kPixel = {.heads = kHeads,
                                           .channels = kChannels / kBlocks,
                                           .padding = static_cast<int>(Parameters::padding)};
};
template <class K, class Parameters>
using BlockLevels =
    ResidentLevels<K, static_cast<int>(Parameters::budget) * 1024, Cluster<K, Parameters>::kPixel>;

template <class K, class Parameters>
class Source : public ResidentSource<K, BlockLevels<K, Parameters>, Parameters::copy> {
  using Levels = BlockLevels<K, Parameters>;
  using Resident = ResidentSource<K, Levels, Parameters::copy>;

 public:
  using typename Resident::Offset;
  using typename Resident::Storage;
  using typename Resident::Value;
  using typename Resident::Values;
  static constexpr const char* idle() {
    return Levels::total() == 0 ? "no level fits the budget" : nullptr;
  }
  static constexpr unsigned kCluster = Cluster<K, Parameters>::kBlocks;

 private:
  static constexpr int kChannels = Cluster<K, Parameters>::kPixel.channels;  ///< of a block
  /// Blocks that a lane's channels lie in, and the channels of one read.
  static constexpr int kParts =
      K::Mapping::kVector > kChannels ? K::Mapping::kVector / kChannels : 1;
  static constexpr int kPartBytes = K::Mapping::kVector / kParts * static_cast<int>(sizeof(Value));

  /// A lane's channels of a pixel in each of the blocks that hold some, or in global memory.
  struct Parts {
    const unsigned char* at[kParts];
  };

 public:
  struct Base {
    typename Resident::Address global;
    Parts shared;
    int side;
  };

  __device__ Source(const Arguments& arguments, Storage& storage) : Resident(arguments, storage) {}

  /// Called by all blocks of the cluster together: they take the same items.
  __device__ void enter(const WorkItem& item) {
    const int rank = static_cast<int>(simt::block() % kCluster);
    const auto sync = [] { ptx::cluster_sync(); };
    if (!this->switch_plane(item, rank * kChannels, sync)) return;
    this->wait_for_copies();  // a block's mbarrier is not visible to others
    sync();
  }
  __device__ void begin_tile(const WorkItem&) {}
  /// A block must not end while others read its memory.
  __device__ void leave() { ptx::cluster_sync(); }

  __device__ Base base(const WorkItem& item, int head, int channel) const {
    const int in_plane = Resident::channel_in_plane(item, head, channel);
    Base base{
        K::Reader::image(this->arguments_, item.image, head, channel), {}, K::Mapping::side()};
    if constexpr (Levels::total() != 0) {
#pragma unroll
      for (int p = 0; p < kParts; ++p) {
        const int first = in_plane + p * kChannels;
        base.shared.at[p] = ptx::mapa(this->storage_.data(), first / kChannels) +
                            first % kChannels * static_cast<int>(sizeof(Value));
      }
    }
    return base;
  }
  template <int level>
  __device__ auto anchor(const Base& base, Offset offset) const {
    if constexpr (Levels::resident(level)) {
      const int column = base.side * Resident::delta(level, 1, 0);
      Parts parts;
#pragma unroll
      for (int p = 0; p < kParts; ++p) {
        parts.at[p] = base.shared.at[p] + column + static_cast<int>(offset) * Levels::kStride;
      }
      return parts;
    } else {
      return Resident::template anchor_in<level>(base.global, base.side, offset);
    }
  }
  using Resident::read;
  template <int level>
  __device__ Values read(const Parts& anchor, int delta) const {
    constexpr int kWord = widest_word(Levels::kStride, kPartBytes);
    Values values;
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      copy_words<kPartBytes, kWord>(
          reinterpret_cast<unsigned char*>(values.element) + p * kPartBytes,
          anchor.at[p] + Levels::start(level) + delta);
    }
    return values;
  }
};

}  // namespace msda::distributed_smem
