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

/// The smallest levels that fit `budget` bytes of a block, each of whose pixels there has
/// `channels` channels and `padding` elements. Sizes in bytes.
template <class K, int budget, int channels, int padding>
struct ResidentLevels {
  using Problem = typename K::Problem;
  using Value = typename K::Arithmetic::Stored;
  static constexpr int kBudget = budget;
  static constexpr int kSize = static_cast<int>(sizeof(Value));
  static constexpr int kChannels = channels;
  static constexpr int kRowBytes = channels * kSize;
  static constexpr int kStride = kRowBytes + padding * kSize;
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
    return sum <= budget;
  }
  /// Where a resident level begins.
  static constexpr int start(int level) {
    long long sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) {
      if (smaller(l, level)) sum += bytes(l);
    }
    return static_cast<int>(sum);
  }
  static constexpr int total() {
    long long sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) sum += resident(l) ? bytes(l) : 0;
    return static_cast<int>(sum);
  }
  static constexpr int stride(int level) { return resident(level) ? kStride : kGlobalStride; }
};

/// How levels are copied to shared memory; numbers as the plugins' choices of parameter "copy".
enum LevelCopyKind : int {
  kCopyWords,  ///< loads to registers, stores from there
  kCopyAsync,  ///< cp.async (what memcpy_async is for words of 4 bytes and more)
  kCopyBulk    ///< bulk copies by TMA, from compute capability 9.0 on
};

/// Copies the resident levels of one image and head. All consumers take part.
template <class K, class Levels, int kind>
class LevelCopy {
  static_assert(Levels::total() <= Levels::kBudget, "resident levels keep to their budget");

  static constexpr int kWord =
      widest_word(Levels::kStride, Levels::kRowBytes, K::Layout::kRunChannels* Levels::kSize);
  static constexpr bool kBulk = kind == kCopyBulk && ptx::kHasTma && kWord == 16;
  static constexpr bool kAsync = kind != kCopyWords && !kBulk && kWord >= 4;
  /// True when the pixels of a level are one run of bytes in both memories.
  static constexpr bool kIsRun =
      Levels::kStride == Levels::kGlobalStride && Levels::kRowBytes == Levels::kStride;

  struct WithoutBarrier : Bytes<Levels::total()> {};
  struct WithBarrier : Bytes<Levels::total()> {
    ptx::Barrier barrier;
  };

 public:
  /// The levels, and what tells that they are there.
  using Storage = Either<kBulk, WithBarrier, WithoutBarrier>;

  __device__ explicit LevelCopy(Storage& storage) : storage_(storage) {
    if constexpr (kBulk) {
      if (simt::thread() == 0) {
        ptx::init(&storage.barrier, 1);
        ptx::publish_barriers();
      }
    }
  }

  /// Between two barriers of the consumers, the first of which ends the reads of what was there.
  /// `channel` is the first to be copied.
  __device__ void load(const Arguments& arguments, const WorkItem& item, int channel) {
    const auto image = [&](int c) {
      return image_values<K>(arguments, item.image, item.head, channel + c);
    };
    if constexpr (kBulk) {
      ptx::fence_before_bulk_copies();
      if (simt::thread() == 0) {
        ptx::arrive_expecting(&storage_.barrier, kBulkBytes);
      }
    }
    copy_levels(image);
    if constexpr (kBulk) {
      ptx::wait(&storage_.barrier, phase_);
      phase_ ^= 1U;
    } else if constexpr (kAsync) {
      ptx::commit_copies();
      ptx::wait_for_copies<0>();
    }
  }

 private:
  static constexpr unsigned kBulkBytes = [] {
    unsigned bytes = 0;
    for (int l = 0; l < K::Problem::kLevels; ++l) {
      if (Levels::resident(l))
        bytes += static_cast<unsigned>(K::Layout::pixels(l) * Levels::kRowBytes);
    }
    return bytes;
  }();

  template <class Image>
  __device__ void copy_levels(const Image& image) {
    static_for<K::Problem::kLevels>([&]<int level>() {
      if constexpr (Levels::resident(level)) {
        constexpr long long kFirst =
            static_cast<long long>(K::Layout::start(level)) * Levels::kGlobalStride;
        copy_level<K::Layout::pixels(level)>([&](int c) { return image(c) + kFirst; },
                                             storage_.data() + Levels::start(level));
      }
    });
  }
  template <int pixels, class Level>
  __device__ void copy_level(const Level& level, unsigned char* to) {
    if constexpr (kBulk && kIsRun) {
      constexpr int kBytes = pixels * Levels::kRowBytes;
      constexpr int kPiece = 8192;
      for (int at = static_cast<int>(simt::thread()) * kPiece; at < kBytes;
           at += K::Mapping::kThreads * kPiece) {
        ptx::copy_bulk(to + at, level(0) + at, min(kPiece, kBytes - at), &storage_.barrier);
      }
    } else {
      // A copy lies in one run of neighbouring channels.
      constexpr int kRun = K::Layout::kRunChannels * Levels::kSize;
      constexpr int kWhole = Levels::kRowBytes < kRun ? Levels::kRowBytes : kRun;
      constexpr int kBytes = kBulk ? kWhole : kWord;
      constexpr int kCopies = Levels::kRowBytes / kBytes;
      for (int i = static_cast<int>(simt::thread()); i < pixels * kCopies;
           i += K::Mapping::kThreads) {
        const int pixel = i / kCopies;
        const int at = i % kCopies * kBytes;
        copy<kBytes>(
            to + pixel * Levels::kStride + at,
            level(at / Levels::kSize) + static_cast<long long>(pixel) * Levels::kGlobalStride);
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
};

/// A source that keeps `Levels` in shared memory and reads the others in global memory. Who derives
/// from it says where the resident ones lie.
template <class K, class Levels, int kind>
class ResidentSource : public GlobalRows<K> {
  using Copy = LevelCopy<K, Levels, kind>;

 public:
  static constexpr bool kByHead = true;
  using Storage = typename Copy::Storage;

  static constexpr bool on_chip(int level) { return Levels::resident(level); }
  /// In bytes.
  __device__ static constexpr int delta(int level, int column, int row) {
    return pixels_from_anchor<K>(level, column, row) * Levels::stride(level);
  }

 protected:
  __device__ ResidentSource(const Arguments& arguments, Storage& storage)
      : arguments_(arguments), storage_(storage), copy_(storage) {}

  /// Copies the levels where the item is of another plane than the one before, from channel `first`
  /// of its channels on, between two barriers `sync()` of all who read them.
  template <class Sync>
  __device__ void turn_to(const WorkItem& item, int first, const Sync& sync) {
    const long long plane =
        (item.image * K::Problem::kHeads + item.head) * K::Mapping::kChannelBlocks +
        item.channel_block;
    if (plane == plane_) return;
    plane_ = plane;
    sync();  // nobody reads the plane before
    copy_.load(arguments_, item, item.channel_block * K::Mapping::kItemChannels + first);
    sync();
  }

  const Arguments& arguments_;
  Storage& storage_;

 private:
  Copy copy_;
  long long plane_ = -1;
};

}  // namespace msda
