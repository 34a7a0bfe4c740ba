// Levels that stay in shared memory: which levels fit, and their layout. The common part of source
// policies that keep levels on chip.
#pragma once

#include <msda/parts/level_copy.cuh>
#include <msda/parts/metadata_threads.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/slots/source.cuh>
#include <msda/vector.cuh>

namespace msda {

/// The part of a pixel that a block keeps: `channels` channels of a plane of `heads` neighbouring
/// heads, head after head, then `padding` elements.
struct ResidentPixel {
  int heads;
  int channels;
  int padding;
};

/// How a block keeps pixels within `budget` bytes. Sizes are in bytes; of split elements in bytes
/// of the lower parts, which follow the upper parts of all levels.
template <class K, int budget, ResidentPixel pixel>
struct ResidentPixels {
  using Problem = typename K::Problem;
  using Value = typename K::Arithmetic::Stored;
  static constexpr int kBudget = budget;
  static constexpr int kSize = kUnitBytes<Value>;
  static constexpr int kParts = kPartsOfUnit<Value>;  ///< bytes of all parts for each of these
  static constexpr int kHeads = pixel.heads;
  static constexpr int kPixelBytes = pixel.channels * kSize;
  /// Bytes of a pixel that are contiguous in global memory as well: all of them if layout, items
  /// and planes keep the heads side by side.
  static constexpr int kRunBytes = [] {
    constexpr int kItem = K::Mapping::kItemChannels;
    constexpr bool kSideBySide =
        K::Layout::kRunChannels == Problem::kChannels && kItem == Problem::kChannels &&
        K::Layout::channel_offset(1, 0) == Problem::kChannels && Problem::kHeads % kHeads == 0;
    if (kSideBySide) return kPixelBytes;
    return common_divisor(kPixelBytes, common_divisor(K::Layout::kRunChannels, kItem) * kSize);
  }();
  static constexpr int kStride = kPixelBytes + pixel.padding * kSize;
  static constexpr int kGlobalStride = K::Layout::kPixelStride * kSize;
};

/// With run-time level sizes: the last levels of a pyramid, one run of pixels, as many as
/// K::kStructure says. Places count from the image's first pixel, origin() bytes before the first
/// resident one.
template <class K, int budget, ResidentPixel pixel>
struct ResidentLevels : ResidentPixels<K, budget, pixel> {
  using Pixels = ResidentPixels<K, budget, pixel>;
  static_assert(Pixels::kParts == 1, "elements are as stored");
  static constexpr int kFirst = K::Problem::kLevels - K::kStructure.resident;

  static constexpr bool resident(int level) { return level >= kFirst; }
  static constexpr int start(int) { return 0; }
  static constexpr int total() { return budget; }
  /// Stored pixels of the image before the first resident one.
  __device__ static int pixels_before(const Arguments& arguments) {
    if constexpr (K::kStructure.resident == 0) return 0;
    return typename K::Sizes(arguments).at(kFirst).start;
  }
  __device__ static int origin(const Arguments& arguments) {
    return pixels_before(arguments) * Pixels::kStride;
  }
  template <class Byte>
  __device__ static Byte* locate(Byte* memory, int at) {
    return memory + at;
  }
};

/// With constant level sizes: the smallest levels that fit.
template <class K, int budget, ResidentPixel pixel>
requires(K::Sizes::kFixed) struct ResidentLevels<K, budget, pixel>
    : ResidentPixels<K, budget, pixel> {
  using Pixels = ResidentPixels<K, budget, pixel>;
  using Pixels::kParts;
  using Pixels::kStride;
  using typename Pixels::Problem;
  using typename Pixels::Value;

  __device__ static constexpr int origin(const Arguments&) { return 0; }
  /// May exceed 32 bits for a level that is not resident.
  static constexpr long long bytes(int level) {
    return (static_cast<long long>(K::Layout::pixels(level)) * kStride + 15) / 16 * 16;
  }
  /// Orders levels by size, of equal ones the later first: a level is resident if it and all
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
  /// First byte of a resident level.
  static constexpr int start(int level) {
    long long sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) {
      if (smaller(l, level)) sum += bytes(l);
    }
    return static_cast<int>(sum);
  }
  /// Bytes of all resident levels, all parts included.
  static constexpr int total() {
    long long sum = 0;
    for (int l = 0; l < Problem::kLevels; ++l) sum += resident(l) ? bytes(l) : 0;
    return static_cast<int>(sum) * kParts;
  }
  /// Address of byte `at` in a block's memory.
  template <class Byte>
  __device__ static PointerTo<Value, Byte> locate(Byte* memory, int at) {
    if constexpr (SplitElement<Value>) {
      return {memory + 2 * at, memory + total() / kParts * 2 + at};
    } else {
      return memory + at;
    }
  }
};

/// A source that keeps `Levels` in shared memory and reads other levels from global memory. A
/// derived class adds the addresses of resident levels.
template <class K, class Levels, int kind>
class ResidentSource : public GlobalValues<K> {
  using Copy = LevelCopy<K, Levels, kind>;

 public:
  static constexpr int kPlaneHeads = Levels::kHeads;
  using Storage = typename Copy::Storage;
  static constexpr BoxShape boxes(int level) { return Copy::boxes(level); }

  static constexpr bool on_chip(int level) { return Levels::resident(level); }
  /// Bytes for a resident level, stored pixels for others.
  __device__ static constexpr int delta(int level, int column, int row) requires(K::Sizes::kFixed) {
    return pixels_from_anchor<K>(level, column, row) *
           (Levels::resident(level) ? Levels::kStride : 1);
  }
  __device__ int delta(int level, int column, int row) const requires(!K::Sizes::kFixed) {
    return GlobalValues<K>::delta(level, column, row) *
           (Levels::resident(level) ? Levels::kStride : 1);
  }
  /// Of run-time level sizes.
  static constexpr ResidentBudget kBudget = {static_cast<unsigned>(Levels::kStride),
                                             static_cast<unsigned>(Levels::kBudget)};

 protected:
  __device__ ResidentSource(const Arguments& arguments, Storage& storage)
      : GlobalValues<K>(arguments), storage_(storage), copy_(arguments, storage) {}

  static constexpr bool kWaitSeesAll = Copy::kWaitSeesAll;

  /// Called by all consumers. If the item is of another plane than the item before, begins to copy
  /// that plane's channels from `first` on, after a barrier `sync()` of all readers, and returns
  /// true.
  template <class Sync>
  __device__ bool switch_plane(const WorkItem& item, int first, const Sync& sync) {
    const long long plane =
        (item.image * K::Problem::kHeads + item.head) * K::Mapping::kChannelBlocks +
        item.channel_block;
    if (plane == plane_) return false;
    plane_ = plane;
    copy_.wait();
    sync();  // the plane before is no longer read
    copy_.begin(this->arguments_, item, first);
    return true;
  }
  __device__ void wait_for_copies() { copy_.wait(); }
  __device__ bool copies_are_ready() { return copy_.are_ready(); }
  /// Number of a head's channel among the channels of the item's plane.
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
