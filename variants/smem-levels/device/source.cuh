// The smallest levels that fit a budget are copied to shared memory when a block turns to another
// image (and head, and channels); taps of those levels read there, all others global memory.
#pragma once

#include <msda/slots/resident.cuh>

namespace msda::smem_levels {

template <class ProblemType, class Parameters>
struct Source {
  using Problem = ProblemType;
  static constexpr Slot kSlot = kSource;
  static constexpr bool kByHead = true;
  static constexpr bool kBlends = false;
  using Place = unsigned;

  template <class K>
  using Levels = ResidentLevels<K, static_cast<int>(Parameters::budget) * 1024,
                                K::Mapping::kItemChannels, static_cast<int>(Parameters::padding)>;
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
    struct Base {
      const unsigned char* global;
      int shared;  ///< bytes into a resident level's pixels
      int side;
    };

    __device__ Reader(const Arguments& arguments, unsigned char* shared)
        : arguments_(arguments), shared_(shared), copy_(shared, shared + Levels<K>::total()) {}

    __device__ void enter(const WorkItem& item) {
      const long long plane =
          (item.image * Problem::kHeads + item.head) * K::Mapping::kChannelBlocks +
          item.channel_block;
      if (plane == plane_) return;
      plane_ = plane;
      Consumers<K>::sync();  // nobody reads the plane before
      copy_.load(arguments_, item, item.channel_block * K::Mapping::kItemChannels);
      Consumers<K>::sync();
    }
    __device__ void leave() {}
    __device__ Base base(const WorkItem& item, int head, int channel) const {
      const int in_item = channel - item.channel_block * K::Mapping::kItemChannels;
      return {image_values<K>(arguments_, item.image, head, channel),
              in_item * static_cast<int>(sizeof(Value)), K::Mapping::side()};
    }
    /// Of a resident level bytes in shared memory, of others an address.
    template <int level>
    __device__ auto anchor(const Base& base, Place place) const {
      const int column = base.side * Source::template delta<K>(level, 1, 0);
      if constexpr (Levels<K>::resident(level)) {
        return ptx::opaque(ptx::opaque(base.shared + column) +
                           static_cast<int>(place) * Levels<K>::kStride);
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
    __device__ Rows read(int anchor, int delta) const {
      static_assert(Levels<K>::resident(level));
      Rows rows;
      copy_words<Rows::kBytes, common_word(Levels<K>::kStride)>(
          rows.element, shared_ + anchor + Levels<K>::first(level) + delta);
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

}  // namespace msda::smem_levels
