// The smallest levels that fit a budget are copied to shared memory when a block turns to another
// image (and head, and channels); taps of those levels read there, all others global memory.
#pragma once

#include <msda/simt/thread.cuh>
#include <msda/slots/restage.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/slots/source.cuh>
#include <msda/vector.cuh>

namespace msda::smem_levels {

/// Largest power of two that divides `bytes`, at most 16.
constexpr int word_bytes(int bytes) {
  int word = 16;
  while (bytes % word != 0) word /= 2;
  return word;
}

constexpr int smallest(int a, int b, int c) {
  const int ab = a < b ? a : b;
  return ab < c ? ab : c;
}

template <class ProblemType, class Parameters>
struct Source {
  using Problem = ProblemType;
  static constexpr Slot kSlot = kSource;
  static constexpr bool kByHead = true;
  static constexpr bool kBlends = false;
  using Place = unsigned;

  /// What the parameters mean for composition K. Sizes in bytes.
  template <class K>
  struct Plan {
    using Value = typename K::Arithmetic::Stored;
    static constexpr int kPadding = static_cast<int>(Parameters::padding);
    static constexpr int kRowBytes = K::Mapping::kItemChannels * static_cast<int>(sizeof(Value));
    static constexpr int kStride = kRowBytes + kPadding * static_cast<int>(sizeof(Value));
    static constexpr int kGlobalStride = K::Layout::kPixelStride * static_cast<int>(sizeof(Value));
    static constexpr int kBudget = static_cast<int>(Parameters::budget) * 1024;

    static constexpr int bytes(int level) {
      return (K::Layout::pixels(level) * kStride + 15) / 16 * 16;
    }
    /// Levels by size, smallest first (ties: the later one): a level is resident when it and all
    /// smaller ones fit together.
    static constexpr bool smaller(int a, int b) {
      return bytes(a) < bytes(b) || (bytes(a) == bytes(b) && a > b);
    }
    static constexpr bool resident(int level) {
      long long sum = 0;
      for (int l = 0; l < Problem::kLevels; ++l) {
        if (l == level || smaller(l, level)) sum += bytes(l);
      }
      return sum <= kBudget;
    }
    /// Where a resident level begins.
    static constexpr int start(int level) {
      int sum = 0;
      for (int l = 0; l < Problem::kLevels; ++l) {
        if (smaller(l, level)) sum += bytes(l);
      }
      return sum;
    }
    static constexpr unsigned total() {
      unsigned sum = 0;
      for (int l = 0; l < Problem::kLevels; ++l)
        sum += resident(l) ? static_cast<unsigned>(bytes(l)) : 0U;
      return sum;
    }
    static constexpr int stride(int level) { return resident(level) ? kStride : kGlobalStride; }
    /// Bytes from the base of a lane to the level's first pixel.
    static constexpr long long first(int level) {
      return resident(level) ? start(level)
                             : static_cast<long long>(K::Layout::start(level)) * kGlobalStride;
    }
  };

  template <class K>
  static constexpr unsigned kSharedBytes = Plan<K>::total();

  template <class K>
  __device__ static Place place(int level, int x, int y) {
    return static_cast<Place>(K::Layout::pixel(level, x, y));
  }
  template <class K>
  __device__ static constexpr int delta(int level, int column, int row) {
    return pixels_from_anchor<K>(level, column, row) * Plan<K>::stride(level);
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
        : arguments_(arguments), shared_(shared) {}

    __device__ void enter(const WorkItem& item) {
      const long long plane =
          (item.image * Problem::kHeads + item.head) * K::Mapping::kChannelBlocks +
          item.channel_block;
      if (plane == plane_) return;
      plane_ = plane;
      simt::sync_block();  // nobody reads the plane before
      const int channel = item.channel_block * K::Mapping::kItemChannels;
      copy_levels<0>(item, channel);
      simt::sync_block();
    }
    __device__ Base base(const WorkItem& item, int head, int channel) const {
      const int in_item = channel - item.channel_block * K::Mapping::kItemChannels;
      return {global(item, head, channel), in_item * static_cast<int>(sizeof(Value)),
              K::Mapping::side()};
    }
    /// Of a resident level bytes in shared memory, of others an address.
    template <int level>
    __device__ auto anchor(const Base& base, Place place) const {
      const int column = base.side * Source::template delta<K>(level, 1, 0);
      if constexpr (Plan<K>::resident(level)) {
        return ptx::opaque(ptx::opaque(base.shared + column) +
                           static_cast<int>(place) * Plan<K>::kStride);
      } else {
        return ptx::opaque(ptx::opaque(base.global + column) +
                           place * static_cast<unsigned long long>(Plan<K>::kGlobalStride));
      }
    }
    template <int level>
    __device__ Rows read(int anchor, int delta) const {
      static_assert(Plan<K>::resident(level));
      constexpr int kWord = word_bytes(Plan<K>::kStride);
      using Word = ptx::Word<(kWord < Rows::kBytes) ? kWord : Rows::kWordBytes>;
      Rows rows;
      const auto* from =
          reinterpret_cast<const Word*>(shared_ + anchor + Plan<K>::first(level) + delta);
#pragma unroll
      for (int w = 0; w < Rows::kBytes / static_cast<int>(sizeof(Word)); ++w) {
        reinterpret_cast<Word*>(rows.element)[w] = from[w];
      }
      return rows;
    }
    template <int level>
    __device__ Rows read(const unsigned char* anchor, int delta) const {
      return Rows::read(anchor + Plan<K>::first(level) + delta,
                        [](const auto* p) { return K::Cache::template load_value<level>(p); });
    }

   private:
    __device__ const unsigned char* global(const WorkItem& item, int head, int channel) const {
      return static_cast<const unsigned char*>(stored_values<K>(arguments_)) +
             (item.image * K::Layout::kImageStride + K::Layout::channel_offset(head, channel)) *
                 static_cast<long long>(sizeof(Value));
    }
    template <int level>
    __device__ void copy_levels(const WorkItem& item, int channel) const {
      if constexpr (level < Problem::kLevels) {
        if constexpr (Plan<K>::resident(level)) copy_level<level>(item, channel);
        copy_levels<level + 1>(item, channel);
      }
    }
    /// The whole block copies a level, word by word. A word lies in one run of neighbouring
    /// channels.
    template <int level>
    __device__ void copy_level(const WorkItem& item, int channel) const {
      constexpr int kSize = static_cast<int>(sizeof(Value));
      constexpr int kWord = smallest(word_bytes(Plan<K>::kStride), word_bytes(Plan<K>::kRowBytes),
                                     word_bytes(K::Layout::kRunChannels * kSize));
      constexpr int kWordsPerRow = Plan<K>::kRowBytes / kWord;
      using Word = ptx::Word<kWord>;
      const long long first =
          static_cast<long long>(K::Layout::start(level)) * Plan<K>::kGlobalStride;
      unsigned char* to = shared_ + Plan<K>::start(level);
      for (int i = static_cast<int>(simt::thread()); i < K::Layout::pixels(level) * kWordsPerRow;
           i += K::Mapping::kThreads) {
        const int pixel = i / kWordsPerRow;
        const int at = i % kWordsPerRow * kWord;
        const unsigned char* from = global(item, item.head, channel + at / kSize) + first +
                                    static_cast<long long>(pixel) * Plan<K>::kGlobalStride;
        *reinterpret_cast<Word*>(to + pixel * Plan<K>::kStride + at) =
            K::Cache::load_stream(reinterpret_cast<const Word*>(from));
      }
    }

    const Arguments& arguments_;
    unsigned char* shared_;
    long long plane_ = -1;
  };
};

}  // namespace msda::smem_levels
