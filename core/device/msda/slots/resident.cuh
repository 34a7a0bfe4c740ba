// Levels that live in shared memory: which of them fit, how they lie there, and how a block copies
// them there. What the source policies that keep levels on chip share.
#pragma once

#include <msda/launch.cuh>
#include <msda/ptx/async_copy.cuh>
#include <msda/ptx/bulk_copy.cuh>
#include <msda/slots/metadata_threads.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/slots/source.cuh>
#include <msda/vector.cuh>

namespace msda {

/// Largest power of two that divides all of `bytes`, at most 16.
template <class... Bytes>
constexpr int common_word(Bytes... bytes) {
  int word = 16;
  while (((bytes % word != 0) || ...)) word /= 2;
  return word;
}

/// The smallest levels that fit `budget` bytes of a block, each of whose pixels there has
/// `channels` channels and `padding` elements. Sizes in bytes.
template <class K, int budget, int channels, int padding>
struct ResidentLevels {
  using Problem = typename K::Problem;
  using Value = typename K::Arithmetic::Stored;
  static constexpr int kSize = static_cast<int>(sizeof(Value));
  static constexpr int kChannels = channels;
  static constexpr int kRowBytes = channels * kSize;
  static constexpr int kStride = kRowBytes + padding * kSize;
  static constexpr int kGlobalStride = K::Layout::kPixelStride * kSize;

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
    return sum <= budget;
  }
  /// Where a resident level begins.
  static constexpr int start(int level) {
    int sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) {
      if (smaller(l, level)) sum += bytes(l);
    }
    return sum;
  }
  static constexpr int total() {
    int sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) sum += resident(l) ? bytes(l) : 0;
    return sum;
  }
  static constexpr int stride(int level) { return resident(level) ? kStride : kGlobalStride; }
  /// Bytes from the base of a lane to the level's first pixel.
  static constexpr long long first(int level) {
    return resident(level) ? start(level)
                           : static_cast<long long>(K::Layout::start(level)) * kGlobalStride;
  }
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
  static constexpr int kWord =
      common_word(Levels::kStride, Levels::kRowBytes, K::Layout::kRunChannels* Levels::kSize);
  static constexpr bool kBulk = kind == kCopyBulk && ptx::kHasTma && kWord == 16;
  static constexpr bool kAsync = kind != kCopyWords && !kBulk && kWord >= 4;
  /// True when the pixels of a level are one run of bytes in both memories.
  static constexpr bool kIsRun =
      Levels::kStride == Levels::kGlobalStride && Levels::kRowBytes == Levels::kStride;

 public:
  static constexpr unsigned kBarrierBytes = kind == kCopyBulk ? 16 : 0;

  /// `shared` has Levels::total() bytes, `barrier` kBarrierBytes.
  __device__ LevelCopy(unsigned char* shared, unsigned char* barrier)
      : shared_(shared), barrier_(reinterpret_cast<ptx::Barrier*>(barrier)) {
    if constexpr (kBulk) {
      if (simt::thread() == 0) {
        ptx::init(barrier_, 1);
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
        ptx::arrive_expecting(barrier_, kBulkBytes);
      }
    }
    copy_levels<0>(image);
    if constexpr (kBulk) {
      ptx::wait(barrier_, parity_);
      parity_ ^= 1U;
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

  template <int level, class Image>
  __device__ void copy_levels(const Image& image) {
    if constexpr (level < K::Problem::kLevels) {
      if constexpr (Levels::resident(level)) {
        constexpr long long kFirst =
            static_cast<long long>(K::Layout::start(level)) * Levels::kGlobalStride;
        copy_level<K::Layout::pixels(level)>([&](int c) { return image(c) + kFirst; },
                                             shared_ + Levels::start(level));
      }
      copy_levels<level + 1>(image);
    }
  }
  template <int pixels, class Level>
  __device__ void copy_level(const Level& level, unsigned char* to) {
    if constexpr (kBulk && kIsRun) {
      constexpr int kBytes = pixels * Levels::kRowBytes;
      constexpr int kPiece = 8192;
      for (int at = static_cast<int>(simt::thread()) * kPiece; at < kBytes;
           at += K::Mapping::kThreads * kPiece) {
        ptx::copy_bulk(to + at, level(0) + at, min(kPiece, kBytes - at), barrier_);
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
      ptx::copy_bulk(to, from, bytes, barrier_);
    } else if constexpr (kAsync) {
      ptx::copy_async<bytes>(to, from);
    } else {
      using Word = ptx::Word<bytes>;
      *reinterpret_cast<Word*>(to) = K::Cache::load_stream(reinterpret_cast<const Word*>(from));
    }
  }

  unsigned char* shared_;
  ptx::Barrier* barrier_;
  unsigned parity_ = 0;
};

}  // namespace msda
