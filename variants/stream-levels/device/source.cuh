// For each tile the levels pass one after the other through two buffers in shared memory: when the
// walk reaches a level, the copy of the next level into the other buffer begins. Levels that fit
// neither buffer are read from global memory.
#pragma once

#include <msda/parts/resident.cuh>

namespace msda::stream_levels {

template <class K, class Parameters>
using AllLevels = ResidentLevels<K, static_cast<int>(Parameters::budget) * 1024,
                                 ResidentPixel{.heads = 1,
                                               .channels = K::Mapping::kItemChannels,
                                               .padding = static_cast<int>(Parameters::padding)}>;

/// The smallest levels whose buffers fit the budget together. In the order of visits, every second
/// of them uses the second buffer. Walks that alternate between levels return to a level, so that
/// at most two levels can pass.
template <class K, class Parameters>
struct StreamedLevels : AllLevels<K, Parameters> {
  using Base = AllLevels<K, Parameters>;
  static constexpr int kLevels = K::Problem::kLevels;
  static constexpr int kMost = K::Unroll::kAlternates && kLevels > 2 ? 2 : kLevels;

  /// True if the level is among the `count` smallest.
  static constexpr bool among(int level, int count) {
    int smaller = 0;
    for (int l = 0; l < kLevels; ++l) smaller += l != level && Base::smaller(l, level) ? 1 : 0;
    return smaller < count;
  }
  /// Orders levels by their first visit.
  static constexpr int turn(int level) {
    const int from_end = kLevels - 1 - level;
    if (!K::Unroll::kAlternates) return level;
    return level <= from_end ? 2 * level : 2 * from_end + 1;
  }
  /// Number of the `count` smallest levels that are visited before `level`.
  static constexpr int position(int level, int count) {
    int before = 0;
    for (int l = 0; l < kLevels; ++l) before += among(l, count) && turn(l) < turn(level) ? 1 : 0;
    return before;
  }
  /// Bytes of a buffer, 0 or 1, that takes its share of the `count` smallest levels.
  static constexpr long long buffer_bytes(int buffer, int count) {
    long long most = 0;
    for (int l = 0; l < kLevels; ++l) {
      if (!among(l, count) || position(l, count) % 2 != buffer) continue;
      if (Base::bytes(l) > most) most = Base::bytes(l);
    }
    return most;
  }
  static constexpr int kCount = [] {
    int count = kMost;
    while (count > 0 && buffer_bytes(0, count) + buffer_bytes(1, count) > Base::kBudget) --count;
    return count;
  }();

  static constexpr bool resident(int level) { return among(level, kCount); }
  static constexpr int start(int level) {
    return position(level, kCount) % 2 == 0 ? 0 : static_cast<int>(buffer_bytes(0, kCount));
  }
  static constexpr int total() {
    return static_cast<int>(buffer_bytes(0, kCount) + buffer_bytes(1, kCount));
  }
  /// The n-th level that passes, -1 after the last.
  static constexpr int passing(int n) {
    for (int l = 0; l < kLevels; ++l) {
      if (resident(l) && position(l, kCount) == n) return l;
    }
    return -1;
  }
  static constexpr int next(int level) { return passing(position(level, kCount) + 1); }
};

/// Numbers of the choices of parameter "copy".
enum CopyKind : int { kWords, kAsync };

template <class K, class Parameters>
class Source : public GlobalValues<K> {
  using Levels = StreamedLevels<K, Parameters>;
  using Global = GlobalValues<K>;
  static constexpr int kWord = widest_word(Levels::kStride, Levels::kRunBytes);
  static constexpr bool kIsAsync = Parameters::copy == kAsync && kWord >= 4;

 public:
  static constexpr const char* idle() {
    return Levels::total() == 0 ? "no level fits a buffer" : nullptr;
  }
  static constexpr int kPlaneHeads = 1;
  static constexpr unsigned kCluster = 1;
  using typename Global::Offset;
  using typename Global::Value;
  using typename Global::Values;
  struct Storage : Bytes<Levels::total()> {};
  struct Base {
    typename Global::Address global;
    int shared;  ///< bytes into a pixel that is on chip
    int side;
  };

  static constexpr bool on_chip(int level) { return Levels::resident(level); }
  __device__ static constexpr int delta(int level, int column, int row) {
    return pixels_from_anchor<K>(level, column, row) *
           (Levels::resident(level) ? Levels::kStride : 1);
  }

  __device__ Source(const Arguments& arguments, Storage& storage)
      : Global(arguments), storage_(storage) {}

  __device__ void enter(const WorkItem&) {}
  __device__ void leave() {}

  /// Waits until the buffers of the tile before have been read, and begins the first copy.
  __device__ void begin_tile(const WorkItem& item) {
    constexpr int kFirst = Levels::passing(0);
    if constexpr (kFirst >= 0) {
      Consumers<K>::sync();
      copy<kFirst>(item);
    }
  }
  /// Waits for the level, and until the other buffer has been read, and begins the next copy.
  template <int level>
  __device__ void on_level(const WorkItem& item) {
    if constexpr (Levels::resident(level)) {
      if constexpr (kIsAsync) ptx::cp_async_wait_group<0>();
      Consumers<K>::sync();
      if constexpr (Levels::next(level) >= 0) copy<Levels::next(level)>(item);
    }
  }

  __device__ Base base(const WorkItem& item, int head, int channel) const {
    const int in_item = channel - item.channel_block * K::Mapping::kItemChannels;
    return {K::Reader::image(this->arguments_, item.image, head, channel),
            in_item * static_cast<int>(sizeof(Value)), K::Mapping::side()};
  }
  /// For a level on chip bytes in shared memory, for others an address.
  template <int level>
  __device__ auto anchor(const Base& base, Offset offset) const {
    if constexpr (Levels::resident(level)) {
      return base.shared + base.side * delta(level, 1, 0) +
             static_cast<int>(offset) * Levels::kStride;
    } else {
      return Global::template anchor_in<level>(base.global, base.side, offset);
    }
  }
  using Global::read;
  template <int level>
  __device__ Values read(int anchor, int delta) const {
    static_assert(Levels::resident(level));
    Values values;
    copy_words<Values::kBytes, widest_word(Levels::kStride)>(
        values.element, storage_.data() + anchor + Levels::start(level) + delta);
    return values;
  }

 private:
  template <int level>
  __device__ void copy(const WorkItem& item) {
    constexpr int kCopies = Levels::kPixelBytes / kWord;
    constexpr long long kFirst =
        static_cast<long long>(K::Layout::start(level)) * Levels::kGlobalStride;
    const int channel = item.channel_block * K::Mapping::kItemChannels;
    for (int i = static_cast<int>(simt::thread()); i < K::Layout::pixels(level) * kCopies;
         i += K::Mapping::kThreads) {
      const int pixel = i / kCopies;
      const int at = i % kCopies * kWord;
      const unsigned char* from =
          image_values<K>(this->arguments_, item.image, item.head, channel + at / Levels::kSize) +
          kFirst + static_cast<long long>(pixel) * Levels::kGlobalStride;
      unsigned char* to = storage_.data() + Levels::start(level) + pixel * Levels::kStride + at;
      if constexpr (kIsAsync) {
        ptx::cp_async<kWord>(to, from);
      } else {
        using Word = ptx::Word<kWord>;
        *reinterpret_cast<Word*>(to) = K::Cache::load_stream(reinterpret_cast<const Word*>(from));
      }
    }
    if constexpr (kIsAsync) ptx::cp_async_commit_group();
  }

  Storage& storage_;
};

}  // namespace msda::stream_levels
