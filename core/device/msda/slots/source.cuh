// Slot "source": where a lane reads its value rows from.
#pragma once

#include <msda/launch.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda {

/// Default: global memory through the cache slot's loads.
template <class Problem, class Parameters>
struct GlobalSource {
  static constexpr Slot kSlot = kSource;
  /// True when the source needs work items of one head (it keeps that head's rows on chip).
  static constexpr bool kByHead = false;
  template <class K>
  static constexpr unsigned kSharedBytes = 0;

  /// What taps carry: bytes from the lane's base to the pixel, for the level.
  template <class K, int level>
  __device__ static typename Problem::Offset offset(int x, int y) {
    using Offset = typename Problem::Offset;
    using Value = typename K::Arithmetic::Stored;
    return static_cast<Offset>(K::Layout::template pixel<level>(x, y)) *
           static_cast<Offset>(K::Layout::kPixelStride * sizeof(Value));
  }

  template <class K>
  class Reader {
    using Value = typename K::Arithmetic::Stored;

   public:
    __device__ Reader(const Arguments& arguments, unsigned char* shared) : arguments_(arguments) {
      static_cast<void>(shared);
    }
    /// All threads of the block begin an item: the place to bring levels on chip.
    __device__ void enter(const WorkItem& item) { static_cast<void>(item); }
    /// This lane turns to channel `channel` of head `head`.
    __device__ void select(const WorkItem& item, int head, int channel) {
      base_ = static_cast<const unsigned char*>(K::Layout::base(arguments_)) +
              (item.image * K::Layout::kImageStride + K::Layout::channel_offset(head, channel)) *
                  static_cast<long long>(sizeof(Value));
    }
    template <int level>
    __device__ Vector<Value, K::Mapping::kVector> read(typename Problem::Offset offset) const {
      return Vector<Value, K::Mapping::kVector>::read(
          base_ + offset, [](const auto* p) { return K::Cache::load_value(p); });
    }

   private:
    const Arguments& arguments_;
    const unsigned char* base_ = nullptr;
  };
};

}  // namespace msda
