// The 2x2 pixels that a point reads as one box in shared memory, [row][column][channel]. A box is
// copied by one tensor copy where TMA can, and otherwise in words by cp.async.
#pragma once

#include <msda/ptx/async_copy.cuh>
#include <msda/ptx/bulk_copy.cuh>
#include <msda/slots/source.cuh>
#include <msda/vector.cuh>

namespace msda::tma_boxes {

template <class K>
struct Box {
  using Problem = typename K::Problem;
  using Layout = typename K::Layout;
  using Value = typename K::Arithmetic::Stored;
  static constexpr int kSize = static_cast<int>(sizeof(Value));
  static constexpr int kChannels = K::Mapping::kItemChannels;
  static constexpr int kPixelBytes = kChannels * kSize;
  static constexpr int kBytes = 4 * kPixelBytes;
  static constexpr int kStride = Layout::kPixelStride * kSize;  ///< of stored pixels

  struct alignas(128) Pixels {
    Value value[2][2][kChannels];
  };

  /// True if two neighbouring pixels are contiguous: a box is two runs then, not four.
  static constexpr bool kAdjacentColumns = Layout::kPixelStride == kChannels;
  /// True if boxes are tensor copies, in which a head is an offset in the innermost dimension.
  static constexpr bool kTensor = ptx::kHasTma && kLevelsAreTensors<K, kSize> &&
                                  kPixelBytes % kBoxUnit == 0 &&
                                  kChannels <= Layout::kRunChannels && 2 * kChannels <= kBoxLimit;
  static constexpr BoxShape shape(int level) {
    if (!kTensor || K::Source::on_chip(level)) return {};
    const auto pitch = static_cast<unsigned>(Layout::pitch(level));
    const auto rows = static_cast<unsigned>(Layout::pixels(level)) / pitch;
    const auto pixel = static_cast<unsigned long long>(kStride);
    const unsigned long long image = Layout::kImageStride * kSize;
    const unsigned long long start = Layout::start(level) * pixel;
    if (kAdjacentColumns) {
      return {
          kSize, 3, {pitch * kChannels, rows, 0}, {2 * kChannels, 2, 0}, {pitch * pixel, image, 0},
          start};
    }
    return {kSize,
            4,
            {static_cast<unsigned>(Layout::kPixelStride), pitch, rows},
            {kChannels, 2, 2},
            {pixel, pitch * pixel, image},
            start};
  }

  /// Begins the copy of the box that begins at stored pixel `offset` of the level.
  template <int level>
  __device__ static void copy(const Arguments& arguments, const WorkItem& item, int head,
                              unsigned offset, Pixels& to, ptx::Barrier& barrier) {
    constexpr auto kPitch = static_cast<unsigned>(Layout::pitch(level));
    const auto y = static_cast<int>(offset / kPitch);
    const auto x = static_cast<int>(offset % kPitch);
    const auto image = static_cast<int>(item.image);
    const TensorMap* map = map_of<K>(arguments, level);
    if constexpr (kAdjacentColumns) {
      ptx::cp_async_bulk_tensor(&to, map, x * kChannels, y, image, &barrier);
    } else {
      const auto channel =
          static_cast<int>(Layout::channel_offset(head, item.channel_block * kChannels));
      ptx::cp_async_bulk_tensor(&to, map, channel, x, y, image, &barrier);
    }
  }

  /// Words of a box for copy_word().
  static constexpr int kWordBytes =
      widest_word(kPixelBytes, kStride, (Layout::kRunChannels * kSize));
  static constexpr int kWords = kBytes / kWordBytes;
  using Word = ptx::Word<kWordBytes>;

  /// Begins the copy of word `word` of the box. `image` gives the address of a channel of the item.
  template <int level, class Image>
  __device__ static void copy_word(const Image& image, unsigned offset, int word, Pixels& to) {
    const int pixel = word * kWordBytes / kPixelBytes;
    const int in_pixel = word * kWordBytes % kPixelBytes;
    const int beside = pixel % 2 != 0 ? pixels_from_anchor<K>(level, 1, 0) : 0;
    const int below = pixel / 2 != 0 ? pixels_from_anchor<K>(level, 0, 1) : 0;
    const unsigned char* from =
        image(in_pixel / kSize) +
        (static_cast<long long>(Layout::start(level)) + offset + beside + below) * kStride;
    Word* to_word = reinterpret_cast<Word*>(to.value) + word;
    if constexpr (kWordBytes >= 4) {
      ptx::cp_async<kWordBytes>(to_word, from);
    } else {
      *to_word = *reinterpret_cast<const Word*>(from);
    }
  }
  __device__ static void arrive_after_words(ptx::Barrier& barrier) {
    if constexpr (kWordBytes >= 4) {
      ptx::cp_async_mbarrier_arrive_noinc(&barrier);
    } else {
      ptx::mbarrier_arrive(&barrier);
    }
  }

  /// This lane's channels of its taps of a box.
  template <class Values>
  __device__ static void read(const Pixels& box, Values (&value)[kTaps<K>]) {
    using Mapping = typename K::Mapping;
    constexpr int kAligned = widest_word(kPixelBytes, Mapping::kVector * kSize);
#pragma unroll
    for (int t = 0; t < kTaps<K>; ++t) {
      const auto& pixel = box.value[Mapping::tap_row(t)][Mapping::tap_column(t) + Mapping::side()];
      copy_words<Mapping::kVector * kSize, kAligned>(value[t].element, pixel + Mapping::channel(0));
    }
  }
};

}  // namespace msda::tma_boxes
