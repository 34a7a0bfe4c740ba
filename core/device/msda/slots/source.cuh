// Slot "source": where a lane reads its value rows from.
#pragma once

#include <msda/launch.cuh>
#include <msda/slots/restage.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda {

/// Stored pixels from a footprint's anchor to its pixel at (column, row), each 0 or 1. A level of
/// width or height 1 has no second one: its first stands for it, with weight 0.
template <class K>
__device__ constexpr int pixels_from_anchor(int level, int column, int row) {
  using Problem = typename K::Problem;
  const bool wide = Problem::width(level) > 1 || K::Layout::kBordered;
  const bool high = Problem::height(level) > 1 || K::Layout::kBordered;
  return (wide ? column : 0) + (high ? row : 0) * K::Layout::pitch(level);
}

/// First channel `channel` of head `head` of an image's stored values.
template <class K>
__device__ __forceinline__ const unsigned char* image_values(const Arguments& arguments,
                                                             long long image, int head,
                                                             int channel) {
  const long long first =
      image * K::Layout::kImageStride + K::Layout::channel_offset(head, channel);
  return static_cast<const unsigned char*>(stored_values<K>(arguments)) +
         first * static_cast<long long>(sizeof(typename K::Arithmetic::Stored));
}

/// Default: global memory through the cache slot's loads.
template <class Problem, class Parameters>
struct GlobalSource {
  static constexpr Slot kSlot = kSource;
  /// True when the source needs work items of one head (it keeps that head's rows on chip).
  static constexpr bool kByHead = false;
  /// True when one read returns all four corners blended.
  static constexpr bool kBlends = false;
  /// What a tap carries: the stored pixel of the footprint's anchor, counted from the start of its
  /// level.
  using Place = unsigned;
  template <class K>
  static constexpr unsigned kSharedBytes = 0;
  /// True when read() finds the level on chip, so that there is nothing to fetch ahead.
  template <class K>
  static constexpr bool on_chip(int level) {
    static_cast<void>(level);
    return false;
  }

  /// Bytes between neighbouring pixels.
  template <class K>
  static constexpr int kPixelBytes =
      K::Layout::kPixelStride* static_cast<int>(sizeof(typename K::Arithmetic::Stored));

  template <class K>
  __device__ static Place place(int level, int x, int y) {
    return static_cast<Place>(K::Layout::pixel(level, x, y));
  }
  /// Bytes from a footprint's anchor to its pixel at (column, row), each 0 or 1.
  template <class K>
  __device__ static constexpr int delta(int level, int column, int row) {
    return pixels_from_anchor<K>(level, column, row) * kPixelBytes<K>;
  }

  template <class K>
  class Reader {
   public:
    using Value = typename K::Arithmetic::Stored;  ///< element type that read() returns

    /// Where the channels of one lane and row begin in the image, and which column it reads.
    struct Base {
      const unsigned char* image;
      int side;
    };

    __device__ Reader(const Arguments& arguments, unsigned char* shared) : arguments_(arguments) {
      static_cast<void>(shared);
    }
    /// All consumers begin an item: the place to copy levels on chip.
    __device__ void enter(const WorkItem& item) { static_cast<void>(item); }
    /// All threads that gather are done with all items.
    __device__ void leave() {}
    __device__ Base base(const WorkItem& item, int head, int channel) const {
      return {image_values<K>(arguments_, item.image, head, channel), K::Mapping::side()};
    }
    /// Where this lane's channels of a footprint's anchor lie.
    template <int level>
    __device__ const unsigned char* anchor(const Base& base, Place place) const {
      const unsigned char* column =
          base.image + base.side * GlobalSource::template delta<K>(level, 1, 0);
      return ptx::opaque(ptx::opaque(column) +
                         place * static_cast<unsigned long long>(kPixelBytes<K>));
    }
    /// What lies `delta` bytes from an anchor: a constant, which with the level's start becomes
    /// part of the load instruction.
    template <int level>
    __device__ const unsigned char* address(const unsigned char* anchor, int delta) const {
      constexpr long long kStart = static_cast<long long>(K::Layout::start(level)) * kPixelBytes<K>;
      return anchor + kStart + delta;
    }
    template <int level>
    __device__ Vector<Value, K::Mapping::kVector> read(const unsigned char* anchor,
                                                       int delta) const {
      return Vector<Value, K::Mapping::kVector>::read(
          address<level>(anchor, delta),
          [](const auto* p) { return K::Cache::template load_value<level>(p); });
    }

   private:
    const Arguments& arguments_;
  };
};

}  // namespace msda
