// Slot "source": where a lane reads its value rows from.
#pragma once

#include <msda/launch.cuh>
#include <msda/slots/restage.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda {

/// Default: global memory through the cache slot's loads.
template <class Problem, class Parameters>
struct GlobalSource {
  static constexpr Slot kSlot = kSource;
  /// True when the source needs work items of one head (it keeps that head's rows on chip).
  static constexpr bool kByHead = false;
  /// True when one read returns all four corners blended.
  static constexpr bool kBlends = false;
  using Place = typename Problem::Offset;
  template <class K>
  static constexpr unsigned kSharedBytes = 0;

  /// Bytes between neighbouring pixels.
  template <class K>
  static constexpr int kPixelBytes =
      K::Layout::kPixelStride* static_cast<int>(sizeof(typename K::Arithmetic::Stored));

  /// Bytes from a lane's base to the pixel at (x, y) of a level: what a tap carries.
  template <class K>
  __device__ static typename Problem::Offset offset(int level, int x, int y) {
    using Offset = typename Problem::Offset;
    return static_cast<Offset>(K::Layout::start(level) + K::Layout::pixel(level, x, y)) *
           static_cast<Offset>(kPixelBytes<K>);
  }
  /// Bytes from a footprint's anchor to its pixel at (column, row), each 0 or 1.
  template <class K>
  __device__ static constexpr int delta(int level, int column, int row) {
    return ((Problem::width(level) > 1 || K::Layout::kBordered ? column : 0) +
            (Problem::height(level) > 1 || K::Layout::kBordered ? row : 0) *
                K::Layout::pitch(level)) *
           kPixelBytes<K>;
  }

  template <class K>
  class Reader {
   public:
    using Value = typename K::Arithmetic::Stored;  ///< element type that read() returns

    /// Where the channels of one lane and row begin.
    using Base = const unsigned char*;

    __device__ Reader(const Arguments& arguments, unsigned char* shared) : arguments_(arguments) {
      static_cast<void>(shared);
    }
    /// All threads of the block begin an item: the place to bring levels on chip.
    __device__ void enter(const WorkItem& item) { static_cast<void>(item); }
    __device__ Base base(const WorkItem& item, int head, int channel) const {
      return static_cast<Base>(stored_values<K>(arguments_)) +
             (item.image * K::Layout::kImageStride + K::Layout::channel_offset(head, channel)) *
                 static_cast<long long>(sizeof(Value));
    }
    /// `delta` is a constant, which becomes part of the load instruction.
    template <int level>
    __device__ Vector<Value, K::Mapping::kVector> read(Base base, typename Problem::Offset offset,
                                                       int delta) const {
      return Vector<Value, K::Mapping::kVector>::read(base + offset + delta, [](const auto* p) {
        return K::Cache::template load_value<level>(p);
      });
    }

   private:
    const Arguments& arguments_;
  };
};

}  // namespace msda
