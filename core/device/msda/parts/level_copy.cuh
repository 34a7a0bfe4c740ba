// How a block copies its resident levels (resident.cuh) to shared memory.
#pragma once

#include <msda/ptx/async_copy.cuh>
#include <msda/ptx/bulk_copy.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/slots/source.cuh>
#include <msda/static_for.cuh>
#include <msda/storage.cuh>
#include <msda/vector.cuh>

namespace msda {

/// How levels are copied, numbered as the choices of the plugins' parameter "copy".
enum LevelCopyKind : int {
  kCopyWords,  ///< loads and stores by way of registers
  kCopyAsync,  ///< cp.async, for words of 4 bytes and more
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
  /// True if the pixels of a level are contiguous in both memories.
  static constexpr bool kIsRun =
      Levels::kStride == Levels::kGlobalStride && Levels::kRunBytes == Levels::kStride;
  /// Elements of a pixel, and those of them that are copied.
  static constexpr int kPixelElements = K::Layout::kPixelStride;
  static constexpr int kCopiedElements = Levels::kPixelBytes / Levels::kSize;
  /// True if levels are copied as boxes: a box has the layout of resident pixels. TMA takes several
  /// cycles for each copy, however small.
  static constexpr bool kIsTensor =
      kMayBeBulk && !kIsRun && !SplitElement<typename Levels::Value> &&
      Levels::kRunBytes == Levels::kStride && Levels::kStride % 128 == 0 &&
      kCopiedElements <= kBoxLimit && kLevelsAreTensors<K, Levels::kSize>;
  /// Pixels of a box, a divisor of the level's pixels.
  static constexpr int box_pixels(int level) {
    int pixels = K::Layout::pixels(level) < kBoxLimit ? K::Layout::pixels(level) : kBoxLimit;
    while (K::Layout::pixels(level) % pixels != 0) --pixels;
    return pixels;
  }

  struct BarrierLast : Bytes<Levels::total()> {
    ptx::Barrier barrier;
  };
  /// The levels are last, so that a launch needs no more than its pyramid's.
  struct BarrierFirst {
    ptx::Barrier barrier;
    alignas(128) Bytes<Levels::total()> levels;
    __device__ unsigned char* data() { return levels.data(); }
  };
  using WithBarrier = Conditional<K::Sizes::kFixed, BarrierLast, BarrierFirst>;

 public:
  /// The tensor that a level is copied from, also on devices without TMA; of element size 0: none.
  static constexpr BoxShape boxes(int level) requires(!K::Sizes::kFixed) {
    if (!kIsTensor || level != 0) return {};
    return {.element_bytes = Levels::kSize,
            .rank = 3,
            .extent = {kPixelElements, 0, 0},
            .box = {kCopiedElements, kRunPixels, 0},
            .stride_bytes = {static_cast<unsigned long long>(Levels::kGlobalStride), 0, 0},
            .start_bytes = 0};
  }
  static constexpr BoxShape boxes(int level) requires(K::Sizes::kFixed) {
    if (!kIsTensor || !Levels::resident(level)) return {};
    const auto pixels = static_cast<unsigned>(K::Layout::pixels(level));
    const auto stride = static_cast<unsigned long long>(Levels::kGlobalStride);
    return {.element_bytes = Levels::kSize,
            .rank = 3,
            .extent = {kPixelElements, pixels, 0},
            .box = {kCopiedElements, static_cast<unsigned>(box_pixels(level)), 0},
            .stride_bytes = {stride, K::Layout::kImageStride * Levels::kSize, 0},
            .start_bytes = K::Layout::start(level) * stride};
  }

  /// The levels, and the barrier of bulk copies; equal on devices without TMA, as launches are.
  using Storage = Conditional<kMayBeBulk, WithBarrier, Bytes<Levels::total()>>;

  __device__ LevelCopy(const Arguments& arguments, Storage& storage) : storage_(storage) {
    if constexpr (kBulk) {
      if (simt::thread() == 0) {
        ptx::mbarrier_init(&storage.barrier, 1);
        ptx::fence_mbarrier_init();
        static_for<K::Problem::kLevels>([&]<int level>() {
          if constexpr (boxes(level).element_bytes != 0) {
            ptx::prefetch_tensormap(map_of<K>(arguments, level));
          }
        });
      }
    }
  }

  /// True if the copies of all threads are visible after wait(); otherwise after begin() and a
  /// barrier of the consumers.
  static constexpr bool kWaitSeesAll = kBulk;

  /// Called by all consumers after a barrier, which ends their reads of the plane before, and after
  /// wait(). Copies the plane's channels from `first` on.
  __device__ void begin(const Arguments& arguments, const WorkItem& item, int first) {
    if constexpr (!K::Sizes::kFixed && K::kStructure.resident == 0) return;
    if constexpr (kBulk) {
      ptx::fence_proxy_async();
      if (simt::thread() == 0) {
        ptx::mbarrier_arrive_expect_tx(&storage_.barrier, bulk_bytes(arguments));
      }
      pending_ = true;
    }
    if constexpr (kIsTensor && kBulk) {
      copy_boxes(arguments, item, first);
    } else {
      copy_levels(arguments, [&](int c) { return plane_values(arguments, item, first + c); });
    }
    if constexpr (kAsync) {
      ptx::cp_async_commit_group();
      ptx::cp_async_wait_group<0>();
    }
  }
  /// Called by all lanes of a warp: true in all of them if bulk copies are complete.
  __device__ bool are_ready() {
    if constexpr (kBulk) {
      if (!pending_) return true;
      const bool come = ptx::mbarrier_test_wait(&storage_.barrier, phase_);
      if (simt::reduce_or_sync(come ? 0U : 1U) != 0) return false;
      end_phase();
    }
    return true;
  }
  /// Returns when bulk copies are complete.
  __device__ void wait() {
    if constexpr (kBulk) {
      if (!pending_) return;
      ptx::mbarrier_wait(&storage_.barrier, phase_);
      end_phase();
    }
  }

 private:
  __device__ void end_phase() {
    phase_ ^= 1U;
    pending_ = false;
  }

  /// Address of the plane's channel `c` in the first pixel; heads are clamped to the last one.
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

  __device__ static unsigned bulk_bytes(const Arguments& arguments) {
    if constexpr (K::Sizes::kFixed) {
      constexpr unsigned kBytes = [] {
        unsigned bytes = 0;
        for (int l = 0; l < K::Problem::kLevels; ++l) {
          if (Levels::resident(l))
            bytes +=
                static_cast<unsigned>(K::Layout::pixels(l) * Levels::kPixelBytes * Levels::kParts);
        }
        return bytes;
      }();
      return kBytes;
    } else {
      const int pixels = kIsTensor ? run_boxes(arguments) * kRunPixels : resident_pixels(arguments);
      return static_cast<unsigned>(pixels * Levels::kPixelBytes);
    }
  }

  /// Of run-time level sizes: the resident levels' pixels, and the boxes that they are copied in.
  /// The last box may end behind the image, where TMA fills in zeros.
  __device__ static int resident_pixels(const Arguments& arguments) {
    return typename K::Sizes(arguments).pixels() - Levels::pixels_before(arguments);
  }
  __device__ static int run_boxes(const Arguments& arguments) {
    return (resident_pixels(arguments) + kRunPixels - 1) / kRunPixels;
  }

  /// Issues copies 0 .. count - 1 from one lane of each warp: the lanes of one warp would issue
  /// them one after the other.
  template <class Issue>
  __device__ static void issue_by_warps(int count, const Issue& issue) {
    static_assert(K::Mapping::kThreads % simt::kWarpLanes == 0);
    if (simt::lane() != 0) return;
    for (int i = static_cast<int>(simt::warp()); i < count;
         i += K::Mapping::kThreads / simt::kWarpLanes) {
      issue(i);
    }
  }

  __device__ void copy_boxes(const Arguments& arguments, const WorkItem& item, int first) {
    constexpr int kItem = K::Mapping::kItemChannels;
    const auto channel = static_cast<int>(K::Layout::channel_offset(
        item.head + first / kItem, item.channel_block * kItem + first % kItem));
    if constexpr (!K::Sizes::kFixed) {
      const int from = Levels::pixels_before(arguments);
      issue_by_warps(run_boxes(arguments), [&](int i) {
        ptx::cp_async_bulk_tensor(storage_.data() + i * kRunPixels * Levels::kStride,
                                  map_of<K>(arguments, 0), channel, from + i * kRunPixels,
                                  static_cast<int>(item.image), &storage_.barrier);
      });
    } else {
      copy_boxes_of_levels(arguments, item, channel);
    }
  }
  __device__ void copy_boxes_of_levels(const Arguments& arguments, const WorkItem& item,
                                       int channel) {
    static_for<K::Problem::kLevels>([&]<int level>() {
      if constexpr (Levels::resident(level)) {
        constexpr int kPixels = box_pixels(level);
        unsigned char* const to = storage_.data() + Levels::start(level);
        issue_by_warps(K::Layout::pixels(level) / kPixels, [&](int i) {
          ptx::cp_async_bulk_tensor(to + i * kPixels * Levels::kStride, map_of<K>(arguments, level),
                                    channel, i * kPixels, static_cast<int>(item.image),
                                    &storage_.barrier);
        });
      }
    });
  }

  template <class Image>
  __device__ void copy_levels(const Arguments& arguments, const Image& image) {
    if constexpr (!K::Sizes::kFixed) {
      const long long first =
          static_cast<long long>(Levels::pixels_before(arguments)) * Levels::kGlobalStride;
      copy_level<1>([&](int c) { return image(c) + first; }, storage_.data(),
                    resident_pixels(arguments));
    } else {
      copy_levels_of(image);
    }
  }
  template <class Image>
  __device__ void copy_levels_of(const Image& image) {
    static_for<K::Problem::kLevels>([&]<int level>() {
      if constexpr (Levels::resident(level)) {
        constexpr int kPixels = K::Layout::pixels(level);
        constexpr long long kFirst =
            static_cast<long long>(K::Layout::start(level)) * Levels::kGlobalStride;
        const auto to = Levels::locate(storage_.data(), Levels::start(level));
        if constexpr (SplitElement<typename Levels::Value>) {
          copy_level<2>([&](int c) { return (image(c) + kFirst).upper; }, to.upper, kPixels);
          copy_level<1>([&](int c) { return (image(c) + kFirst).lower; }, to.lower, kPixels);
        } else {
          copy_level<1>([&](int c) { return image(c) + kFirst; }, to, kPixels);
        }
      }
    });
  }
  /// Copies a plane of a level (split.cuh), in which every size is `scale` times as large.
  template <int scale, class Values>
  __device__ __forceinline__ void copy_level(const Values& level, unsigned char* to, int pixels) {
    constexpr int kStride = scale * Levels::kStride;
    if constexpr (kBulk && kIsRun) {
      const int bytes = pixels * kStride;
      constexpr int kPiece = 8192;
      issue_by_warps((bytes + kPiece - 1) / kPiece, [&](int i) {
        const int at = i * kPiece;
        ptx::cp_async_bulk(to + at, level(0) + at, min(kPiece, bytes - at), &storage_.barrier);
      });
    } else {
      constexpr int kRun = scale * Levels::kRunBytes;
      constexpr int kBytes = kBulk ? kRun : widest_word(kStride, kRun);
      constexpr int kCopies = scale * Levels::kPixelBytes / kBytes;
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
      ptx::cp_async_bulk(to, from, bytes, &storage_.barrier);
    } else if constexpr (kAsync) {
      ptx::cp_async<bytes>(to, from);
    } else {
      using Word = ptx::Word<bytes>;
      *reinterpret_cast<Word*>(to) = K::Cache::load_stream(reinterpret_cast<const Word*>(from));
    }
  }

  Storage& storage_;
  unsigned phase_ = 0;  ///< parity of the barrier's phase
  bool pending_ = false;
};

}  // namespace msda
