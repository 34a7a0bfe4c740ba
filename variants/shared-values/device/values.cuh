// A block keeps its head's values of the smallest levels in shared memory: there the left and the
// right corner of a point lie side by side, so that no two lanes want the same bank, as they do
// where the pixels of one head lie a row of all heads apart. Other levels: from global memory.
#pragma once

#include <backward/small_levels.cuh>
#include <backward/values.cuh>

namespace msda::shared_values {

template <class K, class Parameters>
class Values : public GlobalValuesOf<K, Parameters> {
  using Global = GlobalValuesOf<K, Parameters>;
  using Problem = typename K::Problem;
  using Value = typename Problem::Value;
  static constexpr int kThreads = K::Lanes::kThreads;
  static constexpr int kPixelBytes = Problem::kChannels * static_cast<int>(sizeof(Value));
  static constexpr int kBudget = static_cast<int>(Parameters::budget) * 1024;
  using Levels = backward::SmallLevels<K, kBudget, kPixelBytes>;

 public:
  static constexpr bool kOneHead = true;
  struct Storage {
    alignas(128) unsigned char bytes[Levels::kPixels > 0 ? Levels::kPixels* kPixelBytes : 16];
  };
  static constexpr const char* idle() {
    return !backward::kHasDots<K> ? "no gradient that values are read for is asked for"
           : Levels::kPixels == 0 ? "no level fits into the budget"
                                  : nullptr;
  }

  __device__ Values(const backward::Arguments& arguments, Storage& storage)
      : Global(arguments, none_), storage_(storage) {}

  __device__ void enter(const WorkItem& item) {
    if constexpr (Levels::kPixels == 0 || !backward::kHasDots<K>) return;
    simt::syncthreads();  // the values of the item before have been read
    copy(item);
    simt::syncthreads();
  }
  template <class Level>
  __device__ __forceinline__ void read(const Level& level, const backward::Cell& cell,
                                       LaneValues<K>& values) const {
    if constexpr (!Levels::has(Level::kNumber)) {
      Global::read(level, cell, values);
    } else {
      const int pixel = static_cast<int>(backward::pixel_of<K>(cell)) +
                        Levels::start(Level::kNumber) - Levels::before(Level::kNumber) +
                        level.pixels_to(LaneValues<K>::first_corner());
      values.template load<kPixelBytes>(
          storage_.bytes + pixel * kPixelBytes +
              LaneValues<K>::first_channel() * static_cast<int>(sizeof(Value)),
          level, [](const auto* p) { return *p; });
    }
  }

 private:
  __device__ void copy(const WorkItem& item) {
    constexpr int kBytes = widest_word(kPixelBytes);
    constexpr int kWords = kPixelBytes / kBytes;
    using Words = Vector<Value, kBytes / static_cast<int>(sizeof(Value))>;
    const auto* const from = static_cast<const Value*>(this->arguments_.value) +
                             item.image * K::Layout::kImageStride +
                             K::Layout::channel_offset(item.head, 0);
#pragma unroll 4
    for (int i = static_cast<int>(simt::thread()); i < Levels::kPixels * kWords; i += kThreads) {
      const long long pixel = Levels::in_image(i / kWords);
      const Words words = Words::read(
          reinterpret_cast<const unsigned char*>(from + pixel * K::Layout::kPixelStride) +
              i % kWords * kBytes,
          [](const auto* p) { return K::Cache::load_stream(p); });
      words.write(reinterpret_cast<Value*>(storage_.bytes + i * kBytes),
                  [](auto* p, auto word) { *p = word; });
    }
  }

  Storage& storage_;
  typename Global::Storage none_;
};

}  // namespace msda::shared_values
