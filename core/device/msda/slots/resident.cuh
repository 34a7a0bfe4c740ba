// Levels that live in shared memory: which of them fit, how they lie there, and how a block copies
// them there. What the source policies that keep levels on chip share.
#pragma once

#include <msda/ptx/async_copy.cuh>
#include <msda/ptx/bulk_copy.cuh>
#include <msda/slots/metadata_threads.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/slots/source.cuh>
#include <msda/static_for.cuh>
#include <msda/storage.cuh>
#include <msda/vector.cuh>

namespace msda {

/// What a block keeps of a pixel: `channels` channels of a plane of `heads` neighbouring heads,
/// which lie one head after the other, and `padding` elements.
struct ResidentPixel {
  int heads;
  int channels;
  int padding;
};

/// The smallest levels that fit `budget` bytes of a block. Sizes in bytes; of split elements in
/// those of their lower parts, which lie behind the upper ones of all levels.
template <class K, int budget, ResidentPixel pixel>
struct ResidentLevels {
  using Problem = typename K::Problem;
  using Value = typename K::Arithmetic::Stored;
  static constexpr int kBudget = budget;
  static constexpr int kSize = kUnitBytes<Value>;
  static constexpr int kParts = kPartsOfUnit<Value>;  ///< of all parts, for each byte
  static constexpr int kHeads = pixel.heads;
  static constexpr int kRowBytes = pixel.channels * kSize;
  /// Parts of a row that lie together in global memory as well: all of it where the layout, the
  /// items and the planes leave the heads side by side.
  static constexpr int kRunBytes = [] {
    constexpr int kItem = K::Mapping::kItemChannels;
    constexpr bool kSideBySide =
        K::Layout::kRunChannels == Problem::kChannels && kItem == Problem::kChannels &&
        K::Layout::channel_offset(1, 0) == Problem::kChannels && Problem::kHeads % kHeads == 0;
    if (kSideBySide) return kRowBytes;
    return common_divisor(kRowBytes, common_divisor(K::Layout::kRunChannels, kItem) * kSize);
  }();
  static constexpr int kStride = kRowBytes + pixel.padding * kSize;
  static constexpr int kGlobalStride = K::Layout::kPixelStride * kSize;

  /// Of a level that is not resident perhaps more than 32 bits count.
  static constexpr long long bytes(int level) {
    return (static_cast<long long>(K::Layout::pixels(level)) * kStride + 15) / 16 * 16;
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
    return sum * kParts <= budget;
  }
  /// Where a resident level begins.
  static constexpr int start(int level) {
    long long sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) {
      if (smaller(l, level)) sum += bytes(l);
    }
    return static_cast<int>(sum);
  }
  /// Bytes of all parts.
  static constexpr int total() {
    long long sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) sum += resident(l) ? bytes(l) : 0;
    return static_cast<int>(sum) * kParts;
  }
  /// Where in a block's memory what begins at byte `at` lies.
  template <class Byte>
  __device__ static PointerTo<Value, Byte> locate(Byte* memory, int at) {
    if constexpr (SplitElement<Value>) {
      return {memory + 2 * at, memory + total() / kParts * 2 + at};
    } else {
      return memory + at;
    }
  }
};

/// How levels are copied to shared memory; numbers as the plugins' choices of parameter "copy".
enum LevelCopyKind : int {
  kCopyWords,  ///< loads to registers, stores from there
  kCopyAsync,  ///< cp.async (what memcpy_async is for words of 4 bytes and more)
  kCopyBulk    ///< bulk copies by TMA, from compute capability 9.0 on
};

/// Copies the resident levels of one image and plane. All consumers take part.
template <class K, class Levels, int kind>
class LevelCopy {
  static_assert(Levels::total() <= Levels::kBudget, "resident levels keep to their budget");

  static constexpr int kWord = widest_word(Levels::kStride, Levels::kRunBytes);
  static constexpr bool kMayBeBulk = kind == kCopyBulk && kWord == 16 && Levels::total() != 0;
  static constexpr bool kBulk = kMayBeBulk && ptx::kHasTma;
  static constexpr bool kAsync = kind != kCopyWords && !kBulk && kWord >= 4;
  /// True when the pixels of a level are one run of bytes in both memories.
  static constexpr bool kIsRun =
      Levels::kStride == Levels::kGlobalStride && Levels::kRunBytes == Levels::kStride;

  struct WithoutBarrier : Bytes<Levels::total()> {};
  struct WithBarrier : Bytes<Levels::total()> {
    ptx::Barrier barrier;
  };

 public:
  /// The levels, and what tells that they are there; the same on devices without TMA, so that they
  /// launch the same.
  using Storage = Either<kMayBeBulk, WithBarrier, WithoutBarrier>;

  __device__ explicit LevelCopy(Storage& storage) : storage_(storage) {
    if constexpr (kBulk) {
      if (simt::thread() == 0) {
        ptx::init(&storage.barrier, 1);
        ptx::publish_barriers();
      }
    }
  }

  /// True when await() is enough to see what all threads have copied; otherwise the levels have
  /// come at a barrier of the consumers behind begin().
  static constexpr bool kAwaitSeesAll = kBulk;

  /// Behind a barrier of the consumers, which ends the reads of what was there, and an await() of
  /// the copies before. `first` is the first to be copied of the plane's channels.
  __device__ void begin(const Arguments& arguments, const WorkItem& item, int first) {
    const auto image = [&](int c) { return plane_values(arguments, item, first + c); };
    if constexpr (kBulk) {
      ptx::fence_before_bulk_copies();
      if (simt::thread() == 0) {
        ptx::arrive_expecting(&storage_.barrier, kBulkBytes);
      }
      pending_ = true;
    }
    copy_levels(image);
    if constexpr (kAsync) {
      ptx::commit_copies();
      ptx::wait_for_copies<0>();
    }
  }
  /// Whether bulk copies have come to all lanes of the warp, which all ask.
  __device__ bool have_come() {
    if constexpr (kBulk) {
      if (!pending_) return true;
      const bool come = ptx::test_wait(&storage_.barrier, phase_);
      if (simt::warp_union(come ? 0U : 1U) != 0) return false;
      end_phase();
    }
    return true;
  }
  /// Returns when bulk copies have come.
  __device__ void await() {
    if constexpr (kBulk) {
      if (!pending_) return;
      ptx::wait(&storage_.barrier, phase_);
      end_phase();
    }
  }

 private:
  __device__ void end_phase() {
    phase_ ^= 1U;
    pending_ = false;
  }

  /// Channel `c` of the plane's. A head that does not exist has the last one's.
  __device__ static Address<typename Levels::Value> plane_values(const Arguments& arguments,
                                                                 const WorkItem& item, int c) {
    constexpr int kItem = K::Mapping::kItemChannels;
    const int first = item.channel_block * kItem;
    if constexpr (Levels::kHeads == 1) {
      return image_values<K>(arguments, item.image, item.head, first + c);
    } else {
      const int head = min(item.head + c / kItem, K::Problem::kHeads - 1);
      return image_values<K>(arguments, item.image, head, first + c % kItem);
    }
  }

  static constexpr unsigned kBulkBytes = [] {
    unsigned bytes = 0;
    for (int l = 0; l < K::Problem::kLevels; ++l) {
      if (Levels::resident(l))
        bytes += static_cast<unsigned>(K::Layout::pixels(l) * Levels::kRowBytes * Levels::kParts);
    }
    return bytes;
  }();

  template <class Image>
  __device__ void copy_levels(const Image& image) {
    static_for<K::Problem::kLevels>([&]<int level>() {
      if constexpr (Levels::resident(level)) {
        constexpr int kPixels = K::Layout::pixels(level);
        constexpr long long kFirst =
            static_cast<long long>(K::Layout::start(level)) * Levels::kGlobalStride;
        const auto to = Levels::locate(storage_.data(), Levels::start(level));
        if constexpr (SplitElement<typename Levels::Value>) {
          copy_level<kPixels, 2>([&](int c) { return (image(c) + kFirst).upper; }, to.upper);
          copy_level<kPixels, 1>([&](int c) { return (image(c) + kFirst).lower; }, to.lower);
        } else {
          copy_level<kPixels, 1>([&](int c) { return image(c) + kFirst; }, to);
        }
      }
    });
  }
  /// A plane of it, in which every size is `scale` times as many bytes.
  template <int pixels, int scale, class Level>
  __device__ void copy_level(const Level& level, unsigned char* to) {
    constexpr int kStride = scale * Levels::kStride;
    if constexpr (kBulk && kIsRun) {
      constexpr int kBytes = pixels * kStride;
      constexpr int kPiece = 8192;
      for (int at = static_cast<int>(simt::thread()) * kPiece; at < kBytes;
           at += K::Mapping::kThreads * kPiece) {
        ptx::copy_bulk(to + at, level(0) + at, min(kPiece, kBytes - at), &storage_.barrier);
      }
    } else {
      constexpr int kRun = scale * Levels::kRunBytes;
      constexpr int kBytes = kBulk ? kRun : widest_word(kStride, kRun);
      constexpr int kCopies = scale * Levels::kRowBytes / kBytes;
      constexpr long long kGlobalStride = static_cast<long long>(scale) * Levels::kGlobalStride;
      for (int i = static_cast<int>(simt::thread()); i < pixels * kCopies;
           i += K::Mapping::kThreads) {
        const int pixel = i / kCopies;
        const int at = i % kCopies * kBytes;
        copy<kBytes>(to + pixel * kStride + at,
                     level(at / (scale * Levels::kSize)) + pixel * kGlobalStride);
      }
    }
  }
  template <int bytes>
  __device__ void copy(unsigned char* to, const unsigned char* from) {
    if constexpr (kBulk) {
      ptx::copy_bulk(to, from, bytes, &storage_.barrier);
    } else if constexpr (kAsync) {
      ptx::copy_async<bytes>(to, from);
    } else {
      using Word = ptx::Word<bytes>;
      *reinterpret_cast<Word*>(to) = K::Cache::load_stream(reinterpret_cast<const Word*>(from));
    }
  }

  Storage& storage_;
  unsigned phase_ = 0;  ///< of the barrier
  bool pending_ = false;
};

/// A source that keeps `Levels` in shared memory and reads the others in global memory. Who derives
/// from it says where the resident ones lie.
template <class K, class Levels, int kind>
class ResidentSource : public GlobalRows<K> {
  using Copy = LevelCopy<K, Levels, kind>;

 public:
  static constexpr int kPlaneHeads = Levels::kHeads;
  using Storage = typename Copy::Storage;

  static constexpr bool on_chip(int level) { return Levels::resident(level); }
  /// In bytes of a resident level, in pixels of others.
  __device__ static constexpr int delta(int level, int column, int row) {
    return pixels_from_anchor<K>(level, column, row) *
           (Levels::resident(level) ? Levels::kStride : 1);
  }

 protected:
  __device__ ResidentSource(const Arguments& arguments, Storage& storage)
      : GlobalRows<K>(arguments), storage_(storage), copy_(storage) {}

  static constexpr bool kAwaitSeesAll = Copy::kAwaitSeesAll;

  /// Begins to copy the levels where the item is of another plane than the one before, from channel
  /// `first` of the plane's on, behind a barrier `sync()` of all who read them. True when it did.
  template <class Sync>
  __device__ bool turn_to(const WorkItem& item, int first, const Sync& sync) {
    const long long plane =
        (item.image * K::Problem::kHeads + item.head) * K::Mapping::kChannelBlocks +
        item.channel_block;
    if (plane == plane_) return false;
    plane_ = plane;
    copy_.await();
    sync();  // nobody reads the plane before
    copy_.begin(this->arguments_, item, first);
    return true;
  }
  __device__ void await_copies() { copy_.await(); }
  __device__ bool copies_have_come() { return copy_.have_come(); }
  /// A channel of the problem's, counted among those of the item's plane.
  __device__ static int channel_in_plane(const WorkItem& item, int head, int channel) {
    const int in_head = channel - item.channel_block * K::Mapping::kItemChannels;
    if constexpr (kPlaneHeads == 1) return in_head;
    return (head - item.head) * K::Mapping::kItemChannels + in_head;
  }

  Storage& storage_;

 private:
  Copy copy_;
  long long plane_ = -1;
};

}  // namespace msda
